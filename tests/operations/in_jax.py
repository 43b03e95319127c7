"""JAX, for the claims in test_claims.py, which say what each name is; and for its own tests."""

import importlib
import os
from types import SimpleNamespace

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np

from tests.operations.comparing import COMPLEX, REAL

jax.config.update("jax_enable_x64", True)
# Two devices on any machine, for the tests of distribution: to be asked for before anything runs.
jax.config.update("jax_num_cpu_devices", 2)

NAME = "jax"
# The same tests run on a copy of the file, under the name by which it is downloaded.
module = importlib.import_module(os.environ.get("GRADVALVE_MODULE", "gradvalve.jax"))
scale_gradient = module.scale_gradient
stop_gradient = module.stop_gradient

MODES = {"eager": lambda function: function, "jit": jax.jit}
DTYPES = [*REAL, *COMPLEX, np.dtype(ml_dtypes.float8_e5m2)]
UNTOUCHED = {
    "int32": np.int32([1, -(2**31)]),
    "int64": np.int64([2**63 - 1]),
    "uint8": np.uint8([255]),
    "bool": np.array([True, False]),
    "int4": np.array([-8, 7], ml_dtypes.int4),
}
SCALE_KINDS = {"number": float, "array": np.float64, "tensor": jnp.asarray}
REFUSED_AS_X = {"object": object(), "nest": {"a": [object()]}}  # None is an empty nest
NO_PATH = NO_TANGENT = (0,)
ABSENT = {}


functions = SimpleNamespace(
    exp=jnp.exp,
    log=jnp.log,
    tanh=jnp.tanh,
    round=jnp.round,
    where=jnp.where,
    sum=jnp.sum,
    max=jnp.max,
    softmax=jax.nn.softmax,
    log_softmax=jax.nn.log_softmax,
)

tree_map = jax.tree.map
leaves = jax.tree.leaves
vmap = jax.vmap
array = np.asarray


def tensor(values):
    return jnp.asarray(values if hasattr(values, "dtype") else np.float32(values))


def vjp(function, cotangent=None):
    def value_and_gradient(x):
        y, backward = jax.vjp(function, x)
        (result,) = backward(jnp.ones_like(y) if cotangent is None else cotangent)
        return y, result

    return value_and_gradient


def gradient(function):
    return lambda x: vjp(function)(x)[1]


def jvp(function):
    return lambda x: jax.jvp(function, (x,), (jnp.ones_like(x),))[1]
