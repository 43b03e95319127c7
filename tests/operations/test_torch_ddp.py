"""What the two operations promise where PyTorch spreads a batch over several processes."""

import os
import subprocess
import sys

import torch

from tests.operations.comparing import covers
from tests.operations.in_torch import module

SCRIPT = f"""
import sys
import torch
import torch.distributed as dist
from torch.nn.parallel import DistributedDataParallel
from {module.__name__} import scale_gradient, stop_gradient

rank, store = int(sys.argv[1]), sys.argv[2]
dist.init_process_group("gloo", init_method=f"file://{{store}}", rank=rank, world_size=2)
batch = torch.tensor([[1.0, 2.0], [3.0, 4.0]])[rank]


class Model(torch.nn.Module):
    def __init__(self, operation):
        super().__init__()
        self.below = torch.nn.Parameter(torch.tensor(2.0))
        self.above = torch.nn.Parameter(torch.tensor(3.0))
        self.operation = operation

    def forward(self, x):
        return self.above * self.operation(self.below * x)


def two_steps(model):
    distributed = DistributedDataParallel(model)
    for _ in range(2):
        distributed(batch).mean().backward()
    print(model.below.grad, model.above.grad)


two_steps(Model(lambda x: scale_gradient(x, torch.tensor(0.5))))

model = Model(stop_gradient)
try:
    two_steps(model)
except RuntimeError as error:
    assert "Expected to have finished reduction" in str(error)
    print("refused")

model = Model(stop_gradient)
model.below.requires_grad_(False)
two_steps(model)
dist.destroy_process_group()
"""


@covers("C118")
def test_two_processes_give_the_gradient_of_one(tmp_path):
    """What no gradient reaches must be frozen before; else PyTorch waits for it, and says so."""
    script = tmp_path / "script.py"
    script.write_text(SCRIPT)
    # Else gloo takes the address of this machine's name, which may not be known.
    environment = os.environ | {"GLOO_SOCKET_IFNAME": "lo" if sys.platform == "linux" else "lo0"}
    processes = [
        subprocess.Popen(
            [sys.executable, script, str(rank), tmp_path / "store"],
            env=environment,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            text=True,
        )
        for rank in (0, 1)
    ]
    results = [process.communicate() for process in processes]

    mean = torch.tensor([1.0, 2.0, 3.0, 4.0]).mean()
    below, above = 2 * 0.5 * 3 * mean, 2 * 2 * mean
    for process, (output, errors) in zip(processes, results, strict=True):
        assert process.returncode == 0, errors
        assert output.splitlines() == [f"{below!r} {above!r}", "refused", f"None {above!r}"]
