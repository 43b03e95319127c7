# %% setup
import numpy as np
import tensorflow as tf

from gradvalve import measure
from gradvalve.tensorflow import scale_gradient

# %% variants
stop = tf.stop_gradient

VARIANTS = {
    "one-liner": lambda x, s: x * s + stop(x) * (1 - s),
    "summands swapped": lambda x, s: stop(x * (1 - s)) + x * s,
    "remainder stopped": lambda x, s: x * s + stop(x - x * s),
    "difference scaled": lambda x, s: stop(x) + s * (x - stop(x)),
    "scale_gradient": scale_gradient,
}

# %% numbers
MANTISSA = {"float16": 10, "bfloat16": 7, "float32": 23, "float64": 52}


def bits(array):
    """The same bits as integers: they tell −0.0 from 0.0."""
    return array.view(f"u{array.itemsize}")


def interval(dtype, most=2**20):
    """All numbers from 1 to 2; where there are more, so many at random."""
    one = bits(np.ones(1, tf.as_dtype(dtype).as_numpy_dtype))
    count = 2 ** MANTISSA[dtype]
    if count > most:
        random = np.random.default_rng(0)
        steps = random.integers(count, size=most, dtype=one.dtype)
    else:
        steps = np.arange(count, dtype=one.dtype)
    return (one + steps).view(tf.as_dtype(dtype).as_numpy_dtype)


# %% share
MODES = {
    "eager": None,
    "tf.function": {"autograph": False},
    "compiled": {"autograph": False, "jit_compile": True},
}


def result(name, mode, x, s):
    variant, x = VARIANTS[name], tf.constant(x)
    if mode != "eager":
        function = tf.function(variant, **MODES[mode])
        variant = function.get_concrete_function(x, s)
        return variant(x).numpy()
    return variant(x, s).numpy()


def share(name, mode, x, s):
    """How many numbers come out with other bits, in percent."""
    return 100 * float(np.mean(bits(result(name, mode, x, s)) != bits(x)))


# %% shares
numbers = {dtype: interval(dtype) for dtype in MANTISSA}
shares = {
    name: {
        f"{dtype}, {mode}": share(name, mode, x, 0.3)
        for mode in MODES
        for dtype, x in numbers.items()
    }
    for name in VARIANTS
}
for name in ("one-liner", "summands swapped", "remainder stopped"):
    for place in shares[name]:
        if "tf.function" not in place:
            print(f"{name}, {place}: {shares[name][place]:.1f}")
for name in ("difference scaled", "scale_gradient"):
    print(f"{name}, largest: {max(shares[name].values())}")
SHOWN = ("one-liner", "summands swapped", "remainder stopped", "scale_gradient")
measure.bar_figure(
    {
        name: {
            place.replace(", eager", ""): percent
            for place, percent in shares[name].items()
            if "tf.function" not in place
        }
        for name in SHOWN
    },
    "data type",
    "changed values in percent",
)

# %% scales
TENTHS = [tenths / 10 for tenths in range(-10, 21)]
some = numbers["float32"][: 2**16]
over_scales = {
    label: {s: share(name, mode, some, s) for s in TENTHS}
    for label, name, mode in [
        ("one-liner", "one-liner", "eager"),
        ("one-liner, compiled", "one-liner", "compiled"),
        ("remainder stopped", "remainder stopped", "eager"),
        ("scale_gradient", "scale_gradient", "eager"),
    ]
}
exact = [s for s, percent in over_scales["one-liner"].items() if not percent]
print(f"exact: {exact}")
print(f"most: {max(over_scales['one-liner'].values()):.1f}")
print(f"most, compiled: {max(over_scales['one-liner, compiled'].values()):.1f}")
measure.line_figure(over_scales, "s", "changed values in percent")


# %% special
def special(dtype):
    dtype = tf.as_dtype(dtype)
    one_bit = np.ones(1, f"u{dtype.size}").view(dtype.as_numpy_dtype)
    values = {
        "infinity": np.inf,
        "not a number": np.nan,
        "minus zero": -0.0,
        "largest": dtype.max,
        "smallest": one_bit[0],
    }
    return list(values), np.array(list(values.values()), dtype.as_numpy_dtype)


labels, x = special("float32")
for label, value in zip(labels, x, strict=True):
    print(f"{label}: {value!s}")
for name, s in [
    ("one-liner", 0.3),
    ("one-liner", -1),
    ("difference scaled", 0.3),
]:
    y = result(name, "eager", x, s)
    for label, value in zip(labels, y, strict=True):
        print(f"{label}, {name}, {s}: {value!s}")
largest = max(
    share("scale_gradient", mode, special(dtype)[1], s)
    for dtype in MANTISSA
    for mode in MODES
    for s in (0, 0.3, -1)
)
print(f"scale_gradient, largest share of special values: {largest}")
