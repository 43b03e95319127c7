"""Measure what the operations and their alternatives cost; docs/data/cost.json keeps the result.

Every program of a framework runs in turn, round after round; the shortest time of each is kept.
The variants for TensorFlow are those of notebooks/cost.py, which draws the result.
"""

import json
import os
import platform
import statistics
import time
from collections.abc import Callable
from functools import partial
from importlib.metadata import version
from pathlib import Path
from typing import NamedTuple

import jax
import jupytext
import numpy as np
import optax
import tensorflow as tf
import torch

from gradvalve import jax as ours_in_jax
from gradvalve import torch as ours_in_torch

ROOT = Path(__file__).parents[2]
RESULT = ROOT / "docs/data/cost.json"
PROC = Path("/proc/self")
SCALE = 0.3
BYTES = 4  # of a number
MEMORY_SIZE = 10**6
SIZES = [10**7, 10**6, 10**5, 10**4, 10**3, 64]
ROUNDS = 80
BATCH = 0.003  # seconds that a program runs at a stretch
# What every implementation has to do: hand on the value, multiply the gradient once.
LEAST = "one multiplication"


class Setting(NamedTuple):
    framework: str
    mode: str
    arrays: Callable  # takes two NumPy arrays, returns x and the incoming gradient
    forward: dict[str, Callable]  # takes x, returns the result
    both: dict[str, Callable]  # takes x and the incoming gradient, returns result and gradient


def both_ways(operation, scale, x, upstream):
    """Return the result and the gradient, into which `upstream` comes."""
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = operation(x, scale)
    return y, tape.gradient(y, x, upstream)


def in_tensorflow(mode):
    names = {}
    for cell in jupytext.read(ROOT / "notebooks/cost.py").cells:
        if cell.metadata.title in ("setup", "variants", "others"):
            exec(cell.source, names)

    def wrapped(function):
        if mode == "eager":
            return function
        return tf.function(function, autograph=False, jit_compile=mode == "compiled")

    def forward(operation):
        return wrapped(lambda x: operation(x, SCALE))

    def both(operation):
        return wrapped(lambda x, upstream: both_ways(operation, SCALE, x, upstream))

    least = wrapped(lambda x, upstream: (tf.identity(x), upstream * SCALE))
    variants = names["ALL"]
    return Setting(
        "TensorFlow",
        mode,
        lambda *arrays: map(tf.constant, arrays),
        {name: forward(each) for name, each in variants.items()},
        {name: both(each) for name, each in variants.items()} | {LEAST: least},
    )


def in_torch():
    class Scaled(torch.autograd.Function):
        @staticmethod
        def forward(ctx, x, scale):
            ctx.scale = scale
            return x.view_as(x)

        @staticmethod
        def backward(ctx, upstream):
            return upstream * ctx.scale, None

    def hooked(x):
        y = x.view_as(x)
        y.register_hook(lambda upstream: upstream * SCALE)
        return y

    variants = {
        "identity": lambda x: x.view_as(x),
        "one-liner": lambda x: x * SCALE + x.detach() * (1 - SCALE),
        "custom gradient": lambda x: Scaled.apply(x, SCALE),
        "hook": hooked,
        "scale_gradient": lambda x: ours_in_torch.scale_gradient(x, SCALE),
    }

    def arrays(x, upstream):
        return torch.from_numpy(x).requires_grad_(), torch.from_numpy(upstream)

    def both(operation):
        def program(x, upstream):
            y = operation(x)
            return y, torch.autograd.grad(y, x, upstream)

        return program

    least = {LEAST: lambda x, upstream: (x.detach(), upstream * SCALE)}
    programs = {name: both(each) for name, each in variants.items()}
    return Setting("PyTorch", "eager", arrays, variants, programs | least)


def in_jax():
    @jax.custom_vjp
    def with_rule(x):
        return x

    with_rule.defvjp(lambda x: (x, None), lambda _, upstream: (upstream * SCALE,))
    variants = {
        "identity": lambda x: x,
        "one-liner": lambda x: x * SCALE + jax.lax.stop_gradient(x) * (1 - SCALE),
        "custom gradient": with_rule,
        "Optax": lambda x: optax.scale_gradient(x, SCALE),
        "scale_gradient": lambda x: ours_in_jax.scale_gradient(x, SCALE),
    }

    def compiled(function):
        function = jax.jit(function)
        return lambda *arrays: jax.block_until_ready(function(*arrays))

    def both(operation):
        def program(x, upstream):
            y, backward = jax.vjp(operation, x)
            return y, backward(upstream)

        return compiled(program)

    least = {LEAST: compiled(lambda x, upstream: (x, upstream * SCALE))}
    return Setting(
        "JAX",
        "compiled",
        lambda *arrays: map(jax.numpy.asarray, arrays),
        {name: compiled(each) for name, each in variants.items()},
        {name: both(each) for name, each in variants.items()} | least,
    )


def seconds(program, calls):
    start = time.perf_counter()
    for _ in range(calls):
        program()
    return (time.perf_counter() - start) / calls


def shortest(programs):
    """Return the shortest time of each program in microseconds."""
    calls = {}
    for name, program in programs.items():
        program()  # traces
        calls[name] = max(1, int(BATCH / seconds(program, 1)))
    times = {name: [] for name in programs}
    for _ in range(ROUNDS):
        for name, program in programs.items():
            times[name].append(seconds(program, calls[name]))
    return {name: float(f"{min(each) * 1e6:.4g}") for name, each in times.items()}


def _memory(kind):
    lines = (PROC / "status").read_text().splitlines()
    return next(int(line.split()[1]) * 1024 for line in lines if line.startswith(kind))


def _use_up_spare_memory(array, ballast):
    """Add arrays to `ballast` until the framework no longer has memory ready for the next one."""
    grown = 0
    while grown < 0.9 * BYTES * len(array):
        before = _memory("VmRSS")
        ballast.append(array + array)
        float(ballast[-1][0])  # JAX may still be at work
        grown = _memory("VmRSS") - before


def peak(program, array, ballast):
    """Return how much memory the program takes at most while it runs, as a multiple of `array`."""
    grown = []
    for _ in range(5):
        _use_up_spare_memory(array, ballast)
        (PROC / "clear_refs").write_text("5")  # Linux begins anew to note the most
        before = _memory("VmRSS")
        result = program()
        grown.append(_memory("VmHWM") - before)
        del result
    return round(statistics.median(grown) / (BYTES * len(array)), 1)


def rows(setting, sizes=SIZES):
    """Return what the file says of each variant."""
    found = {name: {"forward": {}, "both": {}, "memory": {}} for name in setting.both}
    ballast = []
    for size in sizes:
        random = np.random.default_rng(0)
        x, upstream = setting.arrays(*random.normal(size=(2, size)).astype(np.float32))
        for way, given in [("forward", (x,)), ("both", (x, upstream))]:
            programs = {name: partial(each, *given) for name, each in getattr(setting, way).items()}
            for name, microseconds in shortest(programs).items():
                found[name][way][str(size)] = microseconds
            if size == MEMORY_SIZE:
                for name, program in programs.items():
                    found[name]["memory"][way] = peak(program, upstream, ballast)
    head = {"framework": setting.framework, "mode": setting.mode}
    return [head | {"variant": name} | each for name, each in found.items()]


def machine():
    lines = Path("/proc/cpuinfo").read_text().splitlines()
    processor = next(line.partition(": ")[2] for line in lines if line.startswith("model name"))
    return {
        "processor": processor,
        "cores": os.cpu_count(),
        "system": f"{platform.system()} {platform.machine()}",
        "busy processes at the start": round(os.getloadavg()[0], 1),
    }


def main():
    """Measure everything and write the file; Linux only, because of the memory."""
    tf.get_logger().setLevel("ERROR")  # it would advise against tracing for each size
    head = {
        "machine": machine(),
        "versions": {"Python": platform.python_version()}
        | {name: version(name) for name in ("tensorflow-cpu", "torch", "jax", "optax")},
        "method": f"float32, scale {SCALE}; times: microseconds, the shortest of {ROUNDS} rounds; "
        f"memory: most growth of the process, in multiples of x with {MEMORY_SIZE} numbers",
    }
    settings = [*map(in_tensorflow, ["eager", "tf.function", "compiled"]), in_torch(), in_jax()]
    lines = [json.dumps(row) for setting in settings for row in rows(setting)]
    start = json.dumps(head, indent=2, ensure_ascii=False).removesuffix("\n}")
    RESULT.parent.mkdir(exist_ok=True)
    table = ",\n    ".join(lines)  # a line for each row: they can be compared with the last ones
    text = f'{start},\n  "rows": [\n    {table}\n  ]\n}}\n'
    RESULT.write_text(text, encoding="utf-8")
    print(f"\nwritten: {RESULT.relative_to(ROOT)}")


if __name__ == "__main__":
    main()
