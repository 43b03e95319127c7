"""What the two operations promise in any framework, tested in TensorFlow."""

import math
import re
from collections import namedtuple

import numpy as np
import pytest
import tensorflow as tf
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from tests.operations.in_tensorflow import (
    COMPLEX,
    HALF,
    REAL,
    array_of,
    each_dtype,
    each_mode,
    each_mode_but_xla,
    each_scale_kind,
    gradient,
    jvp,
    scale_gradient,
    special_values,
    stop_gradient,
    vjp,
)

many_examples = settings(max_examples=200, deadline=None)

each_scale = pytest.mark.parametrize("scale", [1, 0.5, 0.3, 0, -1, -2.5, 1e-8, 1e30])


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
    actual = np.asarray(actual)
    assert (actual.dtype, actual.shape) == (expected.dtype, expected.shape)
    assert actual.tobytes() == expected.tobytes(), f"{actual} instead of {expected}"


def assert_same(actual, expected):
    """The same dtype, shape and values; any nan is as good as another."""
    actual = np.asarray(actual)
    assert (actual.dtype, actual.shape) == (expected.dtype, expected.shape)
    if actual.dtype == tf.bfloat16:  # NumPy doesn't know its nan
        actual, expected = actual.astype(float), expected.astype(float)
    np.testing.assert_array_equal(actual, expected)


# The forward value


@each_mode
@each_dtype
@each_scale
def test_forward_is_bitwise_identity(mode, dtype, scale):
    x = special_values(dtype)

    y, _ = mode(vjp(lambda x: scale_gradient(x, scale)))(tf.constant(x))

    assert_same_bits(y, x)


@each_mode
@each_dtype
def test_forward_of_a_stopped_gradient_is_bitwise_identity(mode, dtype):
    x = special_values(dtype)

    assert_same_bits(mode(stop_gradient)(tf.constant(x)), x)


@many_examples
@given(
    bits=arrays.arrays(st.sampled_from(["u2", "u4", "u8"]), arrays.array_shapes(min_dims=0)),
    scale=st.floats(-10, 10),
)
def test_forward_keeps_every_bit_pattern(bits, scale):
    x = bits.view(f"f{bits.itemsize}")

    assert_same_bits(scale_gradient(tf.constant(x), scale), x)


UNTOUCHED = [
    tf.constant([1, -(2**31)]),
    tf.constant([2**63 - 1]),
    tf.constant([255], tf.uint8),
    tf.constant([True, False]),
    tf.cast([1.0, -2.0], tf.dtypes.experimental.float8_e5m2),
]


@each_mode
@pytest.mark.parametrize("x", UNTOUCHED, ids=lambda x: x.dtype.name)
@pytest.mark.parametrize(
    "operation", [stop_gradient, lambda x: scale_gradient(x, 0.5)], ids=["stop", "scale"]
)
def test_what_has_no_gradient_passes_untouched(mode, operation, x):
    assert_same_bits(mode(operation)(x), x.numpy())


@each_mode_but_xla  # it knows no strings
def test_strings_pass_untouched(mode):
    words = tf.constant([b"a", b"", "ä".encode()])

    assert mode(stop_gradient)(words).numpy().tolist() == words.numpy().tolist()
    assert mode(lambda x: scale_gradient(x, 0.5))(words).numpy().tolist() == words.numpy().tolist()


# The gradient


@each_mode
@each_dtype
@each_scale
def test_gradient_is_scale_times_the_incoming_one(mode, dtype, scale):
    cotangent = array_of([1, -0.0, 1 / 3, -1000, np.inf, -np.inf, np.nan], dtype)
    x = tf.zeros_like(cotangent)

    _, result = mode(vjp(lambda x: scale_gradient(x, scale), tf.constant(cotangent)))(x)

    assert_same(result, scaled(cotangent, scale))


@many_examples
@given(
    cotangent=arrays.arrays("f4", 5, elements=st.floats(-1000, 1000, width=16)),
    dtype=st.sampled_from(REAL),
    # None so small that a product is subnormal: TensorFlow takes that for 0.
    scale=st.floats(-10, 10).filter(lambda scale: scale == 0 or abs(scale) > 1e-6),
)
def test_gradient_is_rounded_once(cotangent, dtype, scale):
    cotangent = cotangent.astype(dtype.as_numpy_dtype)

    _, result = vjp(lambda x: scale_gradient(x, scale), cotangent)(tf.zeros_like(cotangent))

    assert_same(result, scaled(cotangent, scale))


@each_mode
@each_scale_kind
@pytest.mark.parametrize(
    "dtype", [pytest.param(dtype, id=f"P06-{dtype.name}") for dtype in REAL + COMPLEX]
)
def test_every_kind_of_scale_gives_the_same_gradient(mode, dtype, kind):
    scale = kind(0.375)  # exact in every dtype
    x = tf.constant([1, 2], dtype)

    result = mode(gradient(lambda x: scale_gradient(x, scale)))(x)

    assert_same(result, np.full(2, 0.375, dtype.as_numpy_dtype))


@each_mode
@pytest.mark.parametrize("dtype", HALF, ids=lambda dtype: dtype.name)
@each_scale_kind
def test_half_types_are_multiplied_in_float32(mode, dtype, kind):
    """Rounding 0.3 to the half type first changes many products; 1e-8 would become 0 in float16."""
    cotangent = np.arange(1, 1000).astype(dtype.as_numpy_dtype)

    for value in 0.3, 1e-8:
        scale = kind(np.float32(value))
        function = vjp(lambda x, scale=scale: scale_gradient(x, scale), tf.constant(cotangent))
        _, result = mode(function)(tf.zeros_like(cotangent))

        assert_same(result, scaled(cotangent, value))


@each_mode
@each_dtype
@each_scale_kind
def test_zero_scale_stops_even_infinite_gradients(mode, dtype, kind):
    cotangent = array_of([np.inf, -np.inf, np.nan, 1, 0], dtype)
    scale = kind(0.0)

    function = vjp(lambda x: scale_gradient(x, scale), tf.constant(cotangent))
    _, result = mode(function)(tf.zeros(5, dtype))

    assert_same(result, np.zeros(5, dtype.as_numpy_dtype))


@each_mode
def test_zero_in_a_tensor_of_scales_stops_its_entry_only(mode):
    function = gradient(lambda x: tf.sqrt(scale_gradient(x, tf.constant([0.0, 0.5, 0.5]))))

    assert_same(mode(function)(tf.constant([0.0, 0.0, 1.0])), np.float32([0, np.inf, 0.25]))


@each_mode
def test_scale_follows_a_schedule(mode):
    """C109: the usual schedule of a gradient reversal, from the outside."""
    progress = tf.Variable(0.0)

    def reversed_gradient(x):
        strength = 2 / (1 + tf.exp(-10 * progress)) - 1
        return scale_gradient(x, -strength)

    step = mode(gradient(reversed_gradient))

    for value in 0.0, 0.1, 0.5:
        progress.assign(value)
        expected = 1 - 2 / (1 + math.exp(-10 * value))
        np.testing.assert_allclose(step(tf.constant(1.0)), expected, rtol=1e-6, atol=1e-7)


@each_mode
@each_scale_kind
def test_scale_itself_gets_no_gradient(mode, kind):
    """C54, C55: the forward value doesn't depend on the scale, so there is nothing to learn."""
    x, scale = tf.constant(3.0), kind(0.5)

    def gradients():
        with tf.GradientTape() as outer, tf.GradientTape(persistent=True) as tape:
            for watched in x, scale:
                if tf.is_tensor(watched):
                    outer.watch(watched)
                    tape.watch(watched)
            y = scale_gradient(x, scale) ** 2
            first = tape.gradient(y, x)
        to_scale = tape.gradient(y, scale) if tf.is_tensor(scale) else None
        again_to_scale = outer.gradient(first, scale) if tf.is_tensor(scale) else None
        return first, to_scale, again_to_scale

    assert mode(gradients)() == (3.0, None, None)


@each_mode
def test_scaling_twice_multiplies(mode):
    """C89"""
    twice = gradient(lambda x: scale_gradient(scale_gradient(x, 0.5), 0.5))

    assert mode(twice)(tf.constant(1.0)) == 0.25


# The arguments


@each_mode
@pytest.mark.parametrize("operation", [scale_gradient], ids=["C52"])
def test_keywords_and_positions_agree(mode, operation):
    x = tf.constant(3.0)
    calls = [
        lambda x: operation(x, 0.5) ** 2,
        lambda x: operation(x, scale=0.5) ** 2,
        lambda x: operation(x=x, scale=0.5) ** 2,
        lambda x: operation(scale=0.5, x=x) ** 2,
    ]

    assert [mode(gradient(call))(x) for call in calls] == [3.0] * 4
    assert mode(gradient(lambda x: x * stop_gradient(x=x)))(x) == 3.0


def enlarging(x_shape, scale_shape):
    return re.escape(f"scale of shape {scale_shape} doesn't broadcast to x of shape {x_shape}")


@many_examples
@given(arrays.mutually_broadcastable_shapes(num_shapes=2, max_dims=3, min_side=0, max_side=3))
def test_scale_broadcasts_to_x_but_never_beyond(shapes):
    (x_shape, scale_shape), enlarged = shapes.input_shapes, shapes.result_shape
    x, scale = np.ones(x_shape), 1 + np.random.default_rng(0).random(scale_shape)

    if enlarged == x_shape:
        result = gradient(lambda x: scale_gradient(x, scale))(tf.constant(x))
        assert_same(result, np.broadcast_to(scale, x_shape))
        return
    with pytest.raises(ValueError, match=enlarging(x_shape, scale_shape)):
        scale_gradient(tf.constant(x), scale)


@each_mode
@pytest.mark.parametrize(
    ("x_shape", "scale_shape"),
    [((), (1,)), ((2,), (3,)), ((1,), (3,)), ((2,), (1, 2)), ((0,), (3,)), ((2, 1), (2, 2))],
)
def test_scale_that_would_enlarge_x_is_an_error_that_names_both_shapes(mode, x_shape, scale_shape):
    with pytest.raises(ValueError, match=enlarging(x_shape, scale_shape)):
        mode(lambda x: scale_gradient(x, tf.ones(scale_shape)))(tf.ones(x_shape))


@each_mode
@pytest.mark.parametrize("x", [tf.constant(1.0), tf.constant(1)], ids=["float", "integer"])
@pytest.mark.parametrize(
    ("scale", "problem"),
    [
        (0.5j, "dtype complex128"),
        (tf.constant(0.5j), "dtype complex128"),
        ("0.5", "dtype string"),
        (True, "dtype bool"),
        (np.array([True]), "dtype bool"),
        (None, "type NoneType"),
        (object(), "type object"),
        ({"scale": 0.5}, "type dict"),
    ],
    ids=str,
)
def test_scale_must_be_a_real_number(mode, x, scale, problem):
    with pytest.raises(TypeError, match=f"scale must be a real number .* {problem}"):
        mode(lambda x: scale_gradient(x, scale))(x)


@pytest.mark.parametrize("x", [None, object(), {"a": [object()]}], ids=["None", "object", "nest"])
@pytest.mark.parametrize(
    "operation", [stop_gradient, lambda x: scale_gradient(x, 0.5)], ids=["stop", "scale"]
)
def test_x_must_hold_tensors(operation, x):
    with pytest.raises(TypeError, match=r"x must be a tensor or a nest .* of tensors, but holds"):
        operation(x)


# Nests

Pair = namedtuple("Pair", ["first", "second"])

NESTS = {
    "C21-dict": {"b": np.ones(2), "a": np.ones(3)},
    "tuple": (np.ones(2), np.ones((1, 2))),
    "P18-list": [np.ones(2), np.ones(3)],
    "named tuple": Pair(np.ones(2), np.ones(3)),
    "deep": {"a": (np.ones(2), {"b": np.ones((1, 2))}), "c": [Pair(np.ones(3), np.ones(4))]},
    "empty": {"a": (), "b": np.ones(2)},
    "numbers": [1.0, 2.0],
}
each_nest = pytest.mark.parametrize("nest", NESTS.values(), ids=NESTS.keys())


def gradients_of_nest(operation, nest):
    """Return `operation(nest)` and the gradients of the sum of its squares."""
    with tf.GradientTape() as tape:
        tape.watch(tf.nest.flatten(nest))
        result = operation(nest)
        loss = sum(tf.reduce_sum(leaf**2) for leaf in tf.nest.flatten(result))
    return result, tape.gradient(loss, nest)


@each_mode
@each_nest
def test_nests_are_scaled_leaf_by_leaf(mode, nest):
    nest = tf.nest.map_structure(tf.constant, nest)

    function = mode(lambda nest: gradients_of_nest(lambda x: scale_gradient(x, 0.5), nest))
    result, gradients = function(nest)

    tf.nest.map_structure(assert_same, result, tf.nest.map_structure(np.asarray, nest))
    tf.nest.map_structure(assert_same, gradients, tf.nest.map_structure(np.asarray, nest))


@each_mode
@each_nest
def test_nests_are_stopped_leaf_by_leaf(mode, nest):
    nest = tf.nest.map_structure(tf.constant, nest)

    result, gradients = mode(lambda nest: gradients_of_nest(stop_gradient, nest))(nest)

    tf.nest.map_structure(assert_same, result, tf.nest.map_structure(np.asarray, nest))
    assert {*tf.nest.flatten(gradients)} == {None}


@many_examples
@given(
    st.recursive(
        arrays.arrays("f4", arrays.array_shapes(min_dims=0), elements=st.floats(-9, 9, width=16)),
        lambda nests: (
            st.lists(nests, max_size=3)
            | st.tuples(nests, nests)
            | st.dictionaries(st.text(max_size=3), nests, max_size=3)
        ),
        max_leaves=6,
    )
)
def test_any_nest_keeps_its_structure(nest):
    assume(tf.nest.flatten(nest))
    nest = tf.nest.map_structure(tf.constant, nest)

    result, gradients = gradients_of_nest(lambda x: scale_gradient(x, -1.0), nest)

    tf.nest.assert_same_structure(result, nest)
    tf.nest.map_structure(lambda a, b: assert_same_bits(a, b.numpy()), result, nest)
    tf.nest.map_structure(lambda a, b: assert_same(a, (-2 * b).numpy()), gradients, nest)


def test_leaves_without_gradient_pass_untouched_in_a_nest():
    nest = {"weights": tf.constant([1.0]), "step": tf.constant(7), "name": "dense"}

    result, gradients = gradients_of_nest(
        lambda nest: scale_gradient(nest, 0.5)["weights"], {"weights": nest["weights"]}
    )
    whole = scale_gradient(nest, tf.constant([0.5]))

    assert (result.numpy(), gradients["weights"].numpy()) == ([1.0], [1.0])
    assert (whole["step"].numpy(), whole["name"].numpy()) == (7, b"dense")


# Further derivatives


def cube(x):
    return scale_gradient(x, 0.5) ** 3


DERIVATIVES_OF_CUBE = {
    "reverse": (gradient(cube), 3.375),
    "forward": (jvp(cube), 3.375),
    "C37-reverse over reverse": (gradient(gradient(cube)), 2.25),
    "forward over reverse": (jvp(gradient(cube)), 2.25),
    "reverse over forward": (gradient(jvp(cube)), 2.25),
    "forward over forward": (jvp(jvp(cube)), 2.25),
    "reverse thrice": (gradient(gradient(gradient(cube))), 0.75),
    "forward over reverse over reverse": (jvp(gradient(gradient(cube))), 0.75),
    "forward thrice": (jvp(jvp(jvp(cube))), 0.75),
}


@each_mode
@pytest.mark.parametrize(
    ("derivative", "expected"), DERIVATIVES_OF_CUBE.values(), ids=DERIVATIVES_OF_CUBE.keys()
)
def test_every_order_scales_again(mode, derivative, expected):
    """s times 3x², s² times 6x, s³ times 6: at x = 1.5 and s = 1/2."""
    assert mode(derivative)(tf.constant(1.5)) == expected


@each_mode
@each_dtype
@each_scale_kind
@pytest.mark.parametrize("scale", [pytest.param(0.5, id="P02"), 0.0, -1.0])
def test_forward_mode_is_scaled(mode, dtype, kind, scale):
    scale = kind(scale)
    square = jvp(lambda x: tf.square(scale_gradient(x, scale)))

    assert mode(square)(tf.constant(3, dtype)) == tf.cast(2 * 3 * scale, dtype)


def bumpy(x):
    return tf.reduce_sum(x**2 * tf.sin(x))


def finite_differences(function, x, step=1e-6):
    """Return the gradient of `function` at `x` by central differences."""
    return [(function(x + e) - function(x - e)).numpy() / (2 * step) for e in step * np.eye(len(x))]


@each_mode
@pytest.mark.parametrize("scale", [0.5, -1.0, 0.0, [0.1, 2.0, -0.7]], ids=str)
def test_gradient_is_scale_times_finite_differences_without_it(mode, scale):
    x = tf.constant([0.3, -1.2, 2.5], tf.float64)

    result = mode(gradient(lambda x: bumpy(scale_gradient(x, scale))))(x)

    expected = np.multiply(scale, finite_differences(bumpy, x))
    np.testing.assert_allclose(result, expected, rtol=1e-7)


def test_finite_differences_disagree_by_design():
    """The operation is the derivative of no function: moving x moves the value in full."""
    x = tf.constant([0.3, -1.2, 2.5], tf.float64)

    moved = finite_differences(lambda x: bumpy(scale_gradient(x, 0.5)), x)

    np.testing.assert_allclose(moved, 2 * gradient(lambda x: bumpy(scale_gradient(x, 0.5)))(x))


# stop_gradient

STOPPED = {
    # function of x, x, its value, its gradient
    "C01": (lambda x: 3 * stop_gradient(x), 2.0, 6.0, None),
    "C16": (lambda x: stop_gradient({"f": x})["f"], 3.0, 3.0, None),
    "C25": (lambda x: x + stop_gradient(tf.round(x) - x), 1.3, 1.0, 1.0),
    "C39-first": (lambda x: stop_gradient(x) * x**2, 3.0, 27.0, 18.0),
    "C39-second": (gradient(lambda x: stop_gradient(x) * x**2), 3.0, 18.0, 6.0),
    "C45": (lambda x: tf.exp(x - stop_gradient(x)), 0.7, 1.0, 1.0),
    "C97": (lambda x: -x * stop_gradient(3 * x), 2.0, -12.0, -6.0),
}


@each_mode
@pytest.mark.parametrize(("function", "x", "value", "slope"), STOPPED.values(), ids=STOPPED.keys())
def test_a_stopped_gradient_is_a_constant(mode, function, x, value, slope):
    assert mode(vjp(function))(tf.constant(x)) == (value, slope)


@each_mode
def test_a_stopped_gradient_has_no_tangent(mode):
    """C48: in forward mode None stands for zero."""
    assert mode(jvp(stop_gradient))(tf.constant(3.0)) is None
    assert mode(jvp(lambda x: x * stop_gradient(x)))(tf.constant(3.0)) == 3.0


@each_mode
def test_stopped_labels_make_cross_entropy_flat_at_its_minimum(mode):
    """C102"""

    def cross_entropy(logits):
        labels = stop_gradient(tf.nn.softmax(logits))
        return -tf.reduce_sum(labels * tf.nn.log_softmax(logits))

    result = mode(gradient(cross_entropy))(tf.constant([1.0, 2.0]))

    np.testing.assert_allclose(result, [0, 0], atol=1e-7)


@each_mode
def test_only_the_stopped_factor_is_constant(mode):
    """C02"""
    a, b = tf.constant(2.0), tf.constant(5.0)

    def gradients(a, b):
        with tf.GradientTape() as tape:
            tape.watch([a, b])
            y = a * stop_gradient(b)
        return tape.gradient(y, [a, b])

    assert mode(gradients)(a, b) in ([5.0, None], (5.0, None))


# MuZero


@each_mode
def test_unrolled_steps_get_a_geometric_series(mode):
    """C84, C85: h ← w·h three times, w = 2, a head of slope 1 on each state, ½ after it."""

    def gradients(root, weights):
        with tf.GradientTape() as tape:
            tape.watch([root, weights])
            state, loss = root, 0.0
            for weight in weights:
                state = weight * state
                loss += state
                state = scale_gradient(state, 0.5)
        return tape.gradient(loss, [root, weights])

    root, weights = mode(gradients)(tf.constant(1.0), [tf.constant(2.0) for _ in range(3)])

    assert (root.numpy(), [weight.numpy() for weight in weights]) == (6, [3, 4, 4])
