"""TensorFlow, for the claims in test_claims.py, which say what each name is; and for its tests."""

import functools
import importlib
import os
from types import SimpleNamespace

import numpy as np
import pytest
import tensorflow as tf

from tests.operations.comparing import COMPLEX, REAL

# Two devices on any machine, for the tests of distribution: to be asked for before anything runs.
tf.config.set_logical_device_configuration(
    tf.config.list_physical_devices("CPU")[0], [tf.config.LogicalDeviceConfiguration()] * 2
)

NAME = "tensorflow"
# The same tests run on a copy of the file, under the name by which it is downloaded.
module = importlib.import_module(os.environ.get("GRADVALVE_MODULE", "gradvalve.tensorflow"))
scale_gradient = module.scale_gradient
stop_gradient = module.stop_gradient

MODES = {
    "eager": lambda function: function,
    "function": tf.function,
    "xla": functools.partial(tf.function, jit_compile=True),
}
DTYPES = REAL + COMPLEX
UNTOUCHED = {
    "int32": np.int32([1, -(2**31)]),
    "int64": np.int64([2**63 - 1]),
    "uint8": np.uint8([255]),
    "bool": np.array([True, False]),
    "float8_e5m2": np.array([1.0, -2.0], tf.dtypes.experimental.float8_e5m2.as_numpy_dtype),
}
SCALE_KINDS = {
    "number": float,
    "array": np.float64,
    "tensor": tf.constant,
    "variable": lambda value: tf.Variable(value, trainable=True),
}
REFUSED_AS_X = {"None": None, "object": object(), "nest": {"a": [object()]}}
NO_PATH = NO_TANGENT = (None,)
ABSENT = {}

tree_map = tf.nest.map_structure
leaves = tf.nest.flatten
vmap = functools.partial(functools.partial, tf.vectorized_map)


functions = SimpleNamespace(
    exp=tf.exp,
    log=tf.math.log,
    tanh=tf.tanh,
    round=tf.round,
    where=tf.where,
    sum=tf.reduce_sum,
    max=tf.reduce_max,
    softmax=tf.nn.softmax,
    log_softmax=tf.nn.log_softmax,
)


def tensor(values):
    return tf.constant(values if hasattr(values, "dtype") else np.float32(values))


def array(tensor):
    return tensor.numpy()


def vjp(function, cotangent=None):
    def value_and_gradient(x):
        with tf.GradientTape() as tape:
            tape.watch(tf.nest.flatten(x))
            y = function(x)
        return y, tape.gradient(y, x, output_gradients=cotangent)

    return value_and_gradient


def gradient(function):
    return lambda x: vjp(function)(x)[1]


def jvp(function):
    def tangent(x):
        with tf.autodiff.ForwardAccumulator(x, tf.ones_like(x)) as accumulator:
            y = function(x)
        return accumulator.jvp(y)

    return tangent


# For test_tensorflow.py

each_mode = pytest.mark.parametrize("mode", MODES.values(), ids=MODES.keys())
# XLA knows neither strings nor ragged and sparse tensors.
each_mode_but_xla = pytest.mark.parametrize("mode", list(MODES.values())[:2], ids=list(MODES)[:2])
each_scale_kind = pytest.mark.parametrize("kind", SCALE_KINDS.values(), ids=SCALE_KINDS.keys())
