"""What the tests of the operations share: arrays that are hard to keep, and how to compare them."""

import os
import shutil

import ml_dtypes
import numpy as np
import pytest

HALF = [np.dtype("f2"), np.dtype(ml_dtypes.bfloat16)]
REAL = [*HALF, np.dtype("f4"), np.dtype("f8")]
# Without one, PyTorch's inductor compiles nothing, and what needs it is not among the tests.
COMPILER = next(filter(None, map(shutil.which, [os.environ.get("CXX", "g++"), "clang++"])), None)
COMPLEX = [np.dtype("c8"), np.dtype("c16")]


def covers(*ids):
    """Put the ids of cases from the field into the id of a test, so that they can be found."""

    def marked(test):
        mark = pytest.mark.parametrize("case", ["-".join(ids)], indirect=True)
        return pytest.mark.usefixtures("case")(mark(test))  # a fixture in conftest.py

    return marked


def array_of(parts, dtype):
    """Return an array of `parts`; a complex one has them backwards as imaginary parts."""
    array = np.empty(len(parts), dtype)
    array[:] = parts
    if np.iscomplexobj(array):
        array.imag = parts[::-1]
    return array


def special_values(dtype):
    """Return an array of the values that are easily lost: signs, extremes, infinities, nans."""
    if dtype.kind == "c":
        return array_of(special_values(np.empty(0, dtype).real.dtype), dtype)
    info = ml_dtypes.finfo(dtype)
    smallest = [info.smallest_normal, info.smallest_subnormal]
    magnitudes = [0, 1, 1 / 3, np.inf, np.nan, info.max, *smallest]
    values = array_of([*magnitudes, *magnitudes], dtype)
    bits = values.view(f"u{values.itemsize}")
    bits[len(magnitudes) :] |= np.array(1 << 8 * values.itemsize - 1, bits.dtype)  # the signs
    bits[magnitudes.index(np.nan)] += 1  # a nan that carries something
    return values


def scaled(cotangent, scale):
    """What NumPy makes of `cotangent` times `scale`, rounded once."""
    if np.iscomplexobj(cotangent):
        parts = cotangent.view(cotangent.real.dtype)
        return scaled(parts, scale).view(cotangent.dtype)
    wide = np.float64 if cotangent.dtype == np.float64 else np.float32
    with np.errstate(all="ignore"):
        product = (cotangent.astype(wide) * wide(scale)).astype(cotangent.dtype)
    return np.where(scale, product, np.zeros_like(product))


def assert_same_bits(actual, expected):
    assert (actual.dtype, actual.shape) == (expected.dtype, expected.shape)
    assert actual.tobytes() == expected.tobytes(), f"{actual} instead of {expected}"


def assert_same(actual, expected):
    """The same dtype, shape and values; any nan is as good as another."""
    assert (actual.dtype, actual.shape) == (expected.dtype, expected.shape)
    if actual.dtype.itemsize <= 2:  # NumPy doesn't know the nan of types that aren't its own
        actual, expected = actual.astype(float), expected.astype(float)
    np.testing.assert_array_equal(actual, expected)
