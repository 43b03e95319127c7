"""PyTorch, for the claims in test_claims.py, which say what each name is; and for its own tests."""

import functools
import importlib
import os
import warnings

import ml_dtypes
import numpy as np
import torch
from torch.autograd import forward_ad
from torch.utils import _pytree

from tests.operations.comparing import COMPLEX, REAL

with warnings.catch_warnings(
    action="ignore"
):  # when forward mode is first used, it warns of itself
    torch.func.jvp(torch.sin, (torch.ones(1),), (torch.ones(1),))

NAME = "torch"
# The same tests run on a copy of the file, under the name by which it is downloaded.
module = importlib.import_module(os.environ.get("GRADVALVE_MODULE", "gradvalve.torch"))
scale_gradient = module.scale_gradient
stop_gradient = module.stop_gradient

with_func = False  # whether derivatives come from torch.func; else from torch.autograd


def in_func(function):
    @functools.wraps(function)
    def wrapped(*args):
        global with_func
        before, with_func = with_func, True
        try:
            return function(*args)
        finally:
            with_func = before

    return wrapped


# What is compiled is in test_torch_compile.py, because it is slow.
MODES = {"autograd": lambda function: function, "func": in_func}
DTYPES = [*REAL, *COMPLEX, np.dtype(ml_dtypes.float8_e5m2)]
UNTOUCHED = {
    "int32": np.int32([1, -(2**31)]),
    "int64": np.int64([2**63 - 1]),
    "uint8": np.uint8([255]),
    "bool": np.array([True, False]),
}
SCALE_KINDS = {
    "number": float,
    "array": np.float64,
    "tensor": torch.tensor,
    "parameter": lambda value: torch.nn.Parameter(torch.tensor(value)),
}
REFUSED_AS_X = {
    "None": None,
    "object": object(),
    "nest": {"a": [object()]},
    "array": np.ones(2),
}
NO_PATH = NO_TANGENT = (None, 0)
ABSENT = {"test_forward_mode_is_scaled[float8_e5m2]": "PyTorch multiplies no 8-bit numbers"}


class functions:  # noqa: N801 (a namespace)
    exp, log, tanh, round, where = torch.exp, torch.log, torch.tanh, torch.round, torch.where
    sum, max = torch.sum, torch.max
    softmax = functools.partial(torch.softmax, dim=0)
    log_softmax = functools.partial(torch.log_softmax, dim=0)


tree_map = _pytree.tree_map
leaves = _pytree.tree_leaves


def vmap(function):
    return in_func(torch.vmap(function))  # no torch.autograd in there


# NumPy and PyTorch don't know each other's small types: from one to the other by their bits.
BITS = {1: torch.int8, 2: torch.int16}


def tensor(values):
    values = np.array(values if hasattr(values, "dtype") else np.float32(values))
    if values.dtype.isbuiltin == 1:
        return torch.from_numpy(values)
    bits = torch.from_numpy(values.view(f"i{values.itemsize}"))
    return bits.view(getattr(torch, values.dtype.name))


def array(tensor):
    tensor = tensor.detach().resolve_conj()
    name = str(tensor.dtype).removeprefix("torch.")
    if np.dtype(name).isbuiltin == 1:
        return tensor.numpy()
    return tensor.view(BITS[tensor.itemsize]).numpy().view(name)


def watched(leaf):
    """Return a tensor of its own for the derivatives of one function; it keeps its tangent."""
    leaf = leaf.view_as(leaf)
    return leaf if leaf.requires_grad else leaf.requires_grad_()


def vjp(function, cotangent=None):
    def value_and_gradient(x):
        if with_func:
            y, backward = torch.func.vjp(function, x)
            (result,) = backward(torch.ones_like(y) if cotangent is None else cotangent)
            return y, result
        x = tree_map(watched, x)
        y = function(x)
        if not y.requires_grad:
            return y, tree_map(lambda _: None, x)
        result = torch.autograd.grad(
            y,
            leaves(x),
            torch.ones_like(y) if cotangent is None else cotangent,
            create_graph=True,
            allow_unused=True,
        )
        return y, _pytree.tree_unflatten(result, _pytree.tree_structure(x))

    return value_and_gradient


def gradient(function):
    return lambda x: vjp(function)(x)[1]


def jvp(function):
    def tangent(x):
        along = torch.ones_like(x)
        if with_func:
            return torch.func.jvp(function, (x,), (along,))[1]
        if forward_ad.unpack_dual(x).tangent is not None:
            # There is one forward mode only: once more by two reverse modes, the first of which is
            # linear in its cotangent.
            return gradient(lambda cotangent: vjp(function, cotangent)(x)[1])(along)
        with forward_ad.dual_level():
            y = function(forward_ad.make_dual(x, along))
            return forward_ad.unpack_dual(y).tangent

    return tangent
