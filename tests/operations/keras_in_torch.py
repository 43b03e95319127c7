"""What the layers promise with PyTorch alone; test_keras_backends.py runs it."""

import keras
import pytest
import torch

from tests.operations.comparing import covers
from tests.operations.test_keras import ScaleGradient, module, pytestmark  # noqa: F401


@covers("C46")
def test_function_transforms_are_scaled():
    x = torch.tensor([3.0, 1.0])
    gradient = torch.func.grad(lambda x: (ScaleGradient(0.5)(x) ** 2).sum())

    assert gradient(x).tolist() == [3, 1]
    assert torch.func.vmap(gradient)(x[:, None]).tolist() == [[3], [1]]


def test_forward_mode_is_refused():
    x = torch.ones(2)

    with pytest.raises(RuntimeError, match="jvp"):
        torch.func.jvp(ScaleGradient(0.5), (x,), (x,))


@covers("F1")
def test_a_compiled_transform_keeps_the_rule():
    def square(x):
        return module._scaled(x, torch.tensor(0.5)) ** 2

    compiled = torch.compile(torch.func.grad(square), backend="aot_eager", fullgraph=True)

    assert compiled(torch.tensor(3.0)) == 3


def test_a_compiled_model_that_ends_in_the_layer_keeps_the_rule():
    model = keras.Sequential([keras.Input([2]), ScaleGradient(0.5)])
    x = torch.ones(1, 2, requires_grad=True)

    torch.compile(model, backend="aot_eager")(x).sum().backward()

    assert x.grad.tolist() == [[0.5, 0.5]]


def test_the_forward_costs_no_memory():
    x = torch.ones(2, requires_grad=True)

    assert ScaleGradient(0.5)(x).data_ptr() == x.data_ptr()
