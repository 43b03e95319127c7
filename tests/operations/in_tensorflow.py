"""What the tests of the operations need of TensorFlow: operations, modes, dtypes, derivatives."""

import functools
import importlib
import os

import ml_dtypes
import numpy as np
import pytest
import tensorflow as tf

# The same tests run on a copy of the file, under the name by which it is downloaded.
module = importlib.import_module(os.environ.get("GRADVALVE_MODULE", "gradvalve.tensorflow"))
scale_gradient = module.scale_gradient
stop_gradient = module.stop_gradient

MODES = {
    "eager": lambda function: function,
    "function": tf.function,
    "xla": functools.partial(tf.function, jit_compile=True),
}
each_mode = pytest.mark.parametrize("mode", MODES.values(), ids=MODES.keys())
# XLA knows neither strings nor ragged and sparse tensors.
each_mode_but_xla = pytest.mark.parametrize("mode", list(MODES.values())[:2], ids=list(MODES)[:2])

HALF = [tf.float16, tf.bfloat16]
REAL = [*HALF, tf.float32, tf.float64]
COMPLEX = [tf.complex64, tf.complex128]
each_dtype = pytest.mark.parametrize("dtype", REAL + COMPLEX, ids=lambda dtype: dtype.name)

SCALE_KINDS = {
    "number": float,
    "array": np.float64,
    "tensor": tf.constant,
    "variable": lambda value: tf.Variable(value, trainable=True),
}
each_scale_kind = pytest.mark.parametrize("kind", SCALE_KINDS.values(), ids=SCALE_KINDS.keys())


def vjp(function, cotangent=None):
    """Return the function from x to `function(x)` and its gradient, times `cotangent` or ones."""

    def value_and_gradient(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = function(x)
        return y, tape.gradient(y, x, output_gradients=cotangent)

    return value_and_gradient


def gradient(function):
    return lambda x: vjp(function)(x)[1]


def jvp(function):
    """Return the forward-mode derivative of `function`, along ones."""

    def tangent(x):
        with tf.autodiff.ForwardAccumulator(x, tf.ones_like(x)) as accumulator:
            y = function(x)
        return accumulator.jvp(y)

    return tangent


def array_of(parts, dtype):
    """Return an array of `parts`; a complex one has them backwards as imaginary parts."""
    array = np.empty(len(parts), tf.as_dtype(dtype).as_numpy_dtype)
    array[:] = parts
    if np.iscomplexobj(array):
        array.imag = parts[::-1]
    return array


def special_values(dtype):
    """Return an array of the values that are easily lost: signs, extremes, infinities, nans."""
    if dtype.is_complex:
        return array_of(special_values(dtype.real_dtype), dtype)
    info = ml_dtypes.finfo(dtype.as_numpy_dtype)
    smallest = [info.smallest_normal, info.smallest_subnormal]
    magnitudes = [0, 1, 1 / 3, np.inf, np.nan, info.max, *smallest]
    values = array_of([*magnitudes, *magnitudes], dtype)
    bits = values.view(f"u{values.itemsize}")
    bits[len(magnitudes) :] |= np.array(1 << 8 * values.itemsize - 1, bits.dtype)  # the signs
    bits[magnitudes.index(np.nan)] += 1  # a nan that carries something
    return values
