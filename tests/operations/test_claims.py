"""What the two operations promise, in every framework: one table of claims.

The claims know no framework. What they need of one stands in an adapter, `in_FRAMEWORK.py` beside
this file, a module with these names:

    NAME            the framework, as in the ids of the tests.
    stop_gradient, scale_gradient  the operations under test: of `gradvalve.NAME`, or of the module
                    that the environment variable GRADVALVE_MODULE names, such as a copy called
                    gradvalve_NAME; then the claims are about that framework only.
    MODES           {id: mode}; mode(function) is the function as it is run in this mode: eagerly,
                    compiled, ... It takes tensors, or nests of them, and returns such.
    DTYPES          NumPy's dtypes (ml_dtypes has the half ones) of tensors that have a gradient.
    UNTOUCHED       {id: array}: such as have none, and pass as they are.
    SCALE_KINDS     {id: kind}; kind(number) is a scale: a number, an array, a tensor, ...
    REFUSED_AS_X    {id: x}: what is neither a tensor nor a nest of tensors.
    NO_PATH         what the gradient may be where no path leads to x: (None,), (0,), (None, 0).
    NO_TANGENT      the same in forward mode.
    ABSENT          {key: reason}: what the framework can't express. The key is the name of a claim,
                    an id of a mode, dtype, kind or row of a table, or "claim[id]": both together.
    tensor(values)  a tensor of an array, bit for bit, in its dtype; of a number or a list, float32.
    array(tensor)   the array of a tensor, bit for bit.
    tree_map(function, *nests), leaves(nest)  as everywhere.
    functions       a namespace of functions on tensors: exp, log, tanh, round, where, and of all
                    entries of a vector: sum, max, softmax, log_softmax.
    vmap(function)  the function, vectorised over the first axis of all arguments.
    vjp(function, cotangent=None)  the function from x to `function(x)`, a tensor, and its gradient,
                    times the tensor `cotangent` or ones. x is a tensor or a nest of tensors, and
                    the gradient likewise.
    gradient(function)  the function from x to that gradient alone, times ones.
    jvp(function)   the function from a tensor x to the forward-mode derivative along ones.

All of them can be nested, as in mode(jvp(gradient(function))). What only one framework has is
tested in test_FRAMEWORK.py.
"""

import importlib
import itertools
import math
import os
import re
from collections import namedtuple
from pathlib import Path

import numpy as np
import pytest
from hypothesis import assume, given, settings
from hypothesis import strategies as st
from hypothesis.extra import numpy as arrays

from tests.operations.comparing import (
    array_of,
    assert_same,
    assert_same_bits,
    covers,
    scaled,
    special_values,
)

ONLY = os.environ.get("GRADVALVE_MODULE")
NAMES = sorted(path.stem.removeprefix("in_") for path in Path(__file__).parent.glob("in_*.py"))
FRAMEWORKS = [
    importlib.import_module(f"tests.operations.in_{name}")
    for name in NAMES
    if ONLY in (None, f"gradvalve_{name}", f"gradvalve.{name}")
]

# The parameters of a claim that depend on the framework.
TABLES = {
    "mode": lambda framework: framework.MODES,
    "dtype": lambda framework: {dtype.name: dtype for dtype in framework.DTYPES},
    "half": lambda framework: {d.name: d for d in framework.DTYPES if d.itemsize == 2},
    "kind": lambda framework: framework.SCALE_KINDS,
    "untouched": lambda framework: framework.UNTOUCHED,
    "refused": lambda framework: framework.REFUSED_AS_X,
    "nest": lambda _: NESTS,
    "order": lambda _: ORDERS,
    "stopped": lambda _: STOPPED,
    "pair": lambda _: PAIRS,
    "masked": lambda _: MASKED,
}


def pytest_generate_tests(metafunc):
    """Run a claim with each framework, and with each row of the tables that its arguments name."""
    if "framework" not in metafunc.fixturenames:
        return
    claim = metafunc.function.__name__
    tables = [name for name in TABLES if name in metafunc.fixturenames]
    rows = []
    for framework in FRAMEWORKS:
        if claim in framework.ABSENT:
            continue
        for row in itertools.product(*(TABLES[name](framework).items() for name in tables)):
            ids, values = [key for key, _ in row], [value for _, value in row]
            absent = {*ids, *(f"{claim}[{key}]" for key in ids)} & framework.ABSENT.keys()
            if not absent:
                rows.append(pytest.param(framework, *values, id="-".join([framework.NAME, *ids])))
    metafunc.parametrize(["framework", *tables], rows)


each_framework = pytest.mark.parametrize("framework", FRAMEWORKS, ids=lambda each: each.NAME)
each_scale = pytest.mark.parametrize("scale", [1, 0.5, 0.3, 0, -1, -2.5, 1e-8, 1e30])
many_examples = settings(max_examples=200, deadline=None)


def assert_gradient(framework, result, expected):
    """`expected` is a number, or None if no path leads to x."""
    if expected is None:
        assert_is_one_of(framework.NO_PATH, framework, result)
    else:
        assert framework.array(result) == expected


def assert_is_one_of(values, framework, result):
    """`values` are NO_PATH or NO_TANGENT: None, or zeros, or both."""
    if result is None:
        assert None in values
    else:
        assert 0 in values
        assert not framework.array(result).any()


# The forward value


@each_scale
def test_forward_is_bitwise_identity(framework, mode, dtype, scale):
    x = special_values(dtype)

    y, _ = mode(framework.vjp(lambda x: framework.scale_gradient(x, scale)))(framework.tensor(x))

    assert_same_bits(framework.array(y), x)


def test_forward_of_a_stopped_gradient_is_bitwise_identity(framework, mode, dtype):
    x = special_values(dtype)

    y = mode(lambda x: framework.stop_gradient(x))(framework.tensor(x))

    assert_same_bits(framework.array(y), x)


@pytest.mark.parametrize(
    ("values", "scale"),
    [
        pytest.param(np.random.default_rng(0).normal(size=100_000), 0.1, id="P01"),
        pytest.param([np.inf, -np.inf], 2.5, id="P01b"),
        pytest.param([np.inf, -np.inf], 0.0, id="P01b-zero"),
    ],
)
def test_what_the_one_liner_changes_stays(framework, mode, dtype, values, scale):
    x = array_of(values, dtype)

    y = mode(lambda x: framework.scale_gradient(x, scale))(framework.tensor(x))

    assert_same_bits(framework.array(y), x)


@many_examples
@given(
    bits=arrays.arrays(st.sampled_from(["u2", "u4", "u8"]), arrays.array_shapes(min_dims=0)),
    scale=st.floats(-10, 10),
)
def test_forward_keeps_every_bit_pattern(framework, bits, scale):
    x = bits.view(f"f{bits.itemsize}")

    y = framework.scale_gradient(framework.tensor(x), scale)

    assert_same_bits(framework.array(y), x)


def test_what_has_no_gradient_passes_untouched(framework, mode, untouched):
    for operation in framework.stop_gradient, lambda x: framework.scale_gradient(x, 0.5):
        result = mode(lambda x, operation=operation: operation(x))(framework.tensor(untouched))

        assert_same_bits(framework.array(result), untouched)


# The gradient


@each_scale
def test_gradient_is_scale_times_the_incoming_one(framework, mode, dtype, scale):
    cotangent = array_of([1, -0.0, 1 / 3, -1000, np.inf, -np.inf, np.nan], dtype)
    x = framework.tensor(np.zeros_like(cotangent))

    function = framework.vjp(
        lambda x: framework.scale_gradient(x, scale), framework.tensor(cotangent)
    )
    _, result = mode(function)(x)

    assert_same(framework.array(result), scaled(cotangent, scale))


@many_examples
@given(
    cotangent=arrays.arrays("f4", 5, elements=st.floats(-1000, 1000, width=16)),
    # None so small that a product is subnormal: TensorFlow takes that for 0.
    scale=st.floats(-10, 10).filter(lambda scale: scale == 0 or abs(scale) > 1e-6),
    data=st.data(),
)
def test_gradient_is_rounded_once(framework, cotangent, scale, data):
    real = [dtype for dtype in framework.DTYPES if dtype.kind != "c"]
    cotangent = cotangent.astype(data.draw(st.sampled_from(real)))

    function = framework.vjp(
        lambda x: framework.scale_gradient(x, scale), framework.tensor(cotangent)
    )
    _, result = function(framework.tensor(np.zeros_like(cotangent)))

    assert_same(framework.array(result), scaled(cotangent, scale))


@covers("P06")
def test_every_kind_of_scale_gives_the_same_gradient(framework, mode, dtype, kind):
    scale = kind(0.375)  # exact in every dtype
    x = framework.tensor(array_of([1, 2], dtype))

    result = mode(framework.gradient(lambda x: framework.scale_gradient(x, scale)))(x)

    assert_same(framework.array(result), array_of([0.375] * 2, dtype).real.astype(dtype))


@covers("P09", "P11")
def test_scale_may_be_an_argument_of_what_is_compiled(framework, mode, dtype):
    def gradient(x, scale):
        return framework.gradient(lambda x: framework.scale_gradient(x, scale))(x)

    gradient = mode(gradient)
    x = framework.tensor(np.ones(2, dtype))

    for scale in 0.375, 0.0, -1.0:
        result = gradient(x, framework.tensor(scale))
        assert_same(framework.array(result), np.ones(2, dtype) * dtype.type(scale))


def test_half_types_are_multiplied_in_float32(framework, mode, half, kind):
    """Rounding 0.3 to the half type first changes many products; 1e-8 would become 0 in float16."""
    cotangent = np.arange(1, 1000).astype(half)

    for value in 0.3, 1e-8:
        scale = kind(np.float32(value))
        function = framework.vjp(
            lambda x, scale=scale: framework.scale_gradient(x, scale), framework.tensor(cotangent)
        )
        _, result = mode(function)(framework.tensor(np.zeros_like(cotangent)))

        assert_same(framework.array(result), scaled(cotangent, value))


def test_zero_scale_stops_even_infinite_gradients(framework, mode, dtype, kind):
    cotangent = framework.tensor(array_of([np.inf, -np.inf, np.nan, 1, 0], dtype))
    scale = kind(0.0)

    function = framework.vjp(lambda x: framework.scale_gradient(x, scale), cotangent)
    _, result = mode(function)(framework.tensor(np.zeros(5, dtype)))

    assert_same(framework.array(result), np.zeros(5, dtype))


def test_zero_in_a_tensor_of_scales_stops_its_entry_only(framework, mode):
    scale = framework.tensor([0.0, 0.5, 0.5])

    function = framework.gradient(
        lambda x: framework.functions.log(framework.scale_gradient(x, scale))
    )
    result = mode(function)(framework.tensor([0.0, 0.0, 1.0]))

    assert framework.array(result).tolist() == [0, np.inf, 0.5]


@covers("C109")
def test_scale_follows_a_schedule(framework, mode):
    """The usual one of a gradient reversal, from the outside."""

    def reversed_gradient(x, progress):
        strength = 2 / (1 + framework.functions.exp(-10 * progress)) - 1
        return framework.gradient(lambda x: framework.scale_gradient(x, -strength))(x)

    step = mode(reversed_gradient)

    for progress in 0.0, 0.1, 0.5:
        result = step(framework.tensor(1.0), framework.tensor(progress))
        expected = 1 - 2 / (1 + math.exp(-10 * progress))
        np.testing.assert_allclose(framework.array(result), expected, rtol=1e-6, atol=1e-7)


@covers("C54")
def test_scale_itself_gets_no_gradient(framework, mode):
    """The forward value doesn't depend on it."""

    def square(pair):
        x, scale = pair
        return framework.scale_gradient(x, scale) ** 2

    to_x, to_scale = mode(framework.gradient(square))(
        (framework.tensor(3.0), framework.tensor(0.5))
    )

    assert_gradient(framework, to_x, 3)
    assert_gradient(framework, to_scale, None)


@covers("C55")
def test_scale_gets_no_gradient_from_a_gradient_either(framework, mode):
    """The strength of a reversal can't be learned this way."""

    def first(pair):
        x, scale = pair
        return framework.gradient(lambda x: framework.scale_gradient(x, scale) ** 2)(x)

    to_x, to_scale = mode(framework.gradient(first))((framework.tensor(3.0), framework.tensor(0.5)))

    assert_gradient(framework, to_x, 0.5)
    assert_gradient(framework, to_scale, None)


@covers("C89")
def test_scaling_twice_multiplies(framework, mode):
    twice = framework.gradient(
        lambda x: framework.scale_gradient(framework.scale_gradient(x, 0.5), 0.5)
    )

    assert_gradient(framework, mode(twice)(framework.tensor(1.0)), 0.25)


@pytest.mark.parametrize(
    ("scales", "expected"),
    [
        pytest.param([0.0, 0.5, 1.0], [0.0, 3.0, 6.0], id="C46"),
        pytest.param([0.1, 0.2], [0.6, 1.2], id="C50"),
        pytest.param([0.0, 0.5], [0.0, 3.0], id="P11"),
    ],
)
def test_scale_may_be_vectorised(framework, mode, scales, expected):
    x = framework.tensor(3.0)

    def gradient(scale):
        return framework.gradient(lambda x: framework.scale_gradient(x, scale) ** 2)(x)

    result = mode(framework.vmap(gradient))(framework.tensor(scales))

    np.testing.assert_allclose(framework.array(result), expected, rtol=1e-6)


def test_x_may_be_vectorised(framework, mode):
    gradient = framework.gradient(lambda x: framework.scale_gradient(x, 0.5) ** 2)

    result = mode(framework.vmap(gradient))(framework.tensor([3.0, 0.0, -1.0]))

    assert framework.array(result).tolist() == [3, 0, -1]


# The arguments


@covers("C52")
def test_keywords_and_positions_agree(framework, mode):
    x, operation = framework.tensor(3.0), framework.scale_gradient
    calls = [
        lambda x: operation(x, 0.5) ** 2,
        lambda x: operation(x, scale=0.5) ** 2,
        lambda x: operation(x=x, scale=0.5) ** 2,
        lambda x: operation(scale=0.5, x=x) ** 2,
        lambda x: x * framework.stop_gradient(x=x),
    ]

    for call in calls:
        assert_gradient(framework, mode(framework.gradient(call))(x), 3)


def enlarging(x_shape, scale_shape):
    return re.escape(f"scale of shape {scale_shape} doesn't broadcast to x of shape {x_shape}")


@many_examples
@given(arrays.mutually_broadcastable_shapes(num_shapes=2, max_dims=3, min_side=0, max_side=3))
def test_scale_broadcasts_to_x_but_never_beyond(framework, shapes):
    (x_shape, scale_shape), enlarged = shapes.input_shapes, shapes.result_shape
    x = framework.tensor(np.ones(x_shape))
    scale = 1 + np.random.default_rng(0).random(scale_shape)

    if enlarged == x_shape:
        result = framework.gradient(lambda x: framework.scale_gradient(x, scale))(x)
        assert_same(framework.array(result), np.broadcast_to(scale, x_shape))
        return
    with pytest.raises(ValueError, match=enlarging(x_shape, scale_shape)):
        framework.scale_gradient(x, scale)


@pytest.mark.parametrize(
    ("x_shape", "scale_shape"),
    [((), (1,)), ((2,), (3,)), ((1,), (3,)), ((2,), (1, 2)), ((0,), (3,)), ((2, 1), (2, 2))],
)
def test_scale_that_would_enlarge_x_is_an_error_that_names_both_shapes(
    framework, mode, x_shape, scale_shape
):
    x, scale = framework.tensor(np.ones(x_shape)), framework.tensor(np.ones(scale_shape))

    with pytest.raises(ValueError, match=enlarging(x_shape, scale_shape)):
        mode(lambda x: framework.scale_gradient(x, scale))(x)


@pytest.mark.parametrize("x", [1.0, np.int32(1)], ids=["float", "integer"])
@pytest.mark.parametrize(
    ("scale", "problem"),
    [
        (0.5j, "complex"),
        (np.complex64(0.5j), "complex64"),
        ("0.5", "str"),
        (True, "bool"),
        (np.array([True]), "bool"),
        (None, "NoneType"),
        (object(), "object"),
        ({"scale": 0.5}, "dict"),
    ],
    ids=lambda value: type(value).__name__,
)
def test_scale_must_be_a_real_number(framework, mode, x, scale, problem):
    with pytest.raises(TypeError, match=f"scale must be a real number .* {problem}"):
        mode(lambda x: framework.scale_gradient(x, scale))(framework.tensor(x))


def test_scale_must_not_be_a_complex_tensor(framework, mode):
    scale = framework.tensor(np.complex64([0.5j]))

    with pytest.raises(TypeError, match=r"scale must be a real number .* dtype .*complex64"):
        mode(lambda x: framework.scale_gradient(x, scale))(framework.tensor([1.0]))


def test_x_must_hold_tensors(framework, refused):
    for operation in framework.stop_gradient, lambda x: framework.scale_gradient(x, 0.5):
        with pytest.raises(TypeError, match=r"x must be an? \w+ or a nest .* of \w+, but holds"):
            operation(refused)


# Nests

Pair = namedtuple("Pair", ["first", "second"])

NESTS = {
    "C21-dict": {"b": np.ones(2), "a": np.ones(3)},
    "tuple": (np.ones(2), np.ones((1, 2))),
    "P18-list": [np.ones(2), np.ones(3)],
    "named tuple": Pair(np.ones(2), np.ones(3)),
    "deep": {"a": (np.ones(2), {"b": np.ones((1, 2))}), "c": [Pair(np.ones(3), np.ones(4))]},
    "empty": {"a": (), "b": np.ones(2)},
    "scalars": [np.float64(1), np.float64(2)],
}


def sum_of_squares(framework, nest):
    return sum(framework.functions.sum(leaf**2) for leaf in framework.leaves(nest))


def assert_same_nests(framework, actual, expected):
    """Both have the same structure and the same leaves; those of `expected` are arrays."""
    framework.tree_map(lambda a, b: assert_same(framework.array(a), b), actual, expected)


def test_nests_are_scaled_leaf_by_leaf(framework, mode, nest):
    tensors = framework.tree_map(framework.tensor, nest)

    def loss(nest):
        return sum_of_squares(framework, framework.scale_gradient(nest, 0.5))

    result = mode(lambda nest: framework.scale_gradient(nest, 0.5))(tensors)
    gradients = mode(framework.gradient(loss))(tensors)

    assert_same_nests(framework, result, nest)
    assert_same_nests(framework, gradients, nest)


def test_nests_are_stopped_leaf_by_leaf(framework, mode, nest):
    tensors = framework.tree_map(framework.tensor, nest)

    def loss(both):
        nest, x = both
        return sum_of_squares(framework, framework.stop_gradient(nest)) * x

    result = mode(lambda nest: framework.stop_gradient(nest))(tensors)
    gradients, _ = mode(framework.gradient(loss))((tensors, framework.tensor(np.float64(1))))

    assert_same_nests(framework, result, nest)
    for leaf in framework.leaves(gradients):
        assert_gradient(framework, leaf, None)


@settings(max_examples=100, deadline=None)
@given(
    st.recursive(
        arrays.arrays(
            "f4",
            arrays.array_shapes(min_dims=0, max_dims=2, max_side=2),
            elements=st.floats(-9, 9, width=16),
        ),
        lambda nests: (
            st.lists(nests, max_size=3)
            | st.tuples(nests, nests)
            | st.dictionaries(st.text(max_size=3), nests, max_size=3)
        ),
        max_leaves=6,
    )
)
def test_any_nest_keeps_its_structure(framework, nest):
    assume(framework.leaves(nest))
    tensors = framework.tree_map(framework.tensor, nest)

    def loss(nest):
        return sum_of_squares(framework, framework.scale_gradient(nest, -1.0))

    assert_same_nests(framework, framework.scale_gradient(tensors, -1.0), nest)
    expected = framework.tree_map(lambda leaf: np.asarray(np.float32(-2) * leaf), nest)
    assert_same_nests(framework, framework.gradient(loss)(tensors), expected)


@covers("C14", "P10")
def test_leaves_without_gradient_pass_untouched_in_a_nest(framework, mode):
    steps = framework.tensor(np.int32([7, 8, 9]))

    def of_weights(weights):
        nest = {"weights": weights, "steps": steps}
        return framework.scale_gradient(nest, framework.tensor([0.5]))

    gradient = framework.gradient(lambda weights: of_weights(weights)["weights"] ** 2)
    weights = framework.tensor([3.0])

    assert framework.array(mode(gradient)(weights)) == 3
    result = mode(of_weights)(weights)["steps"]
    assert_same_bits(framework.array(result), np.int32([7, 8, 9]))


# Further derivatives

# Outermost first: r for reverse mode, f for forward mode.
ORDERS = {
    "reverse": ("r", 3.375),
    "forward": ("f", 3.375),
    "C37-reverse over reverse": ("rr", 2.25),
    "forward over reverse": ("fr", 2.25),
    "reverse over forward": ("rf", 2.25),
    "forward over forward": ("ff", 2.25),
    "reverse thrice": ("rrr", 0.75),
    "forward over reverse over reverse": ("frr", 0.75),
    "forward thrice": ("fff", 0.75),
}


def test_every_order_scales_again(framework, mode, order):
    """s times 3x², s² times 6x, s³ times 6: at x = 1.5 and s = 1/2."""
    letters, expected = order

    def derivative(x):
        function = cube
        for letter in reversed(letters):
            function = (framework.gradient if letter == "r" else framework.jvp)(function)
        return function(x)

    def cube(x):
        return framework.scale_gradient(x, 0.5) ** 3

    assert_gradient(framework, mode(derivative)(framework.tensor(1.5)), expected)


@pytest.mark.parametrize("scale", [pytest.param(0.5, id="P02"), 0.0, -1.0])
def test_forward_mode_is_scaled(framework, mode, dtype, kind, scale):
    kind_of_scale = kind(scale)

    def square(x):
        y = framework.scale_gradient(x, kind_of_scale)
        return y * y

    result = mode(framework.jvp(square))(framework.tensor(np.asarray(3, dtype)))

    assert_same(framework.array(result), np.asarray(2 * 3 * scale, dtype))


def bumpy(x, functions=np):
    return functions.sum(x**2 * functions.tanh(x))


def finite_differences(function, x, step=1e-6):
    """Return the gradient of `function` at `x` by central differences."""
    return [(function(x + e) - function(x - e)) / (2 * step) for e in step * np.eye(len(x))]


@pytest.mark.parametrize("scale", [0.5, -1.0, 0.0, [0.1, 2.0, -0.7]], ids=str)
def test_gradient_is_scale_times_finite_differences_without_it(framework, mode, scale):
    x, scale = np.array([0.3, -1.2, 2.5]), np.array(scale)

    def scaled_bumpy(x):
        return bumpy(framework.scale_gradient(x, framework.tensor(scale)), framework.functions)

    result = mode(framework.gradient(scaled_bumpy))(framework.tensor(x))

    expected = scale * finite_differences(bumpy, x)
    np.testing.assert_allclose(framework.array(result), expected, rtol=1e-7)


def test_finite_differences_disagree_by_design(framework, mode):
    """The operation is the derivative of no function: moving x moves the value in full."""
    x = np.array([0.3, -1.2, 2.5])

    def scaled_bumpy(x):
        return bumpy(framework.scale_gradient(x, 0.5), framework.functions)

    def value(x):
        return framework.array(mode(scaled_bumpy)(framework.tensor(x)))

    result = framework.array(mode(framework.gradient(scaled_bumpy))(framework.tensor(x)))

    np.testing.assert_allclose(finite_differences(value, x), 2 * result, rtol=1e-7)


# stop_gradient


def log_sum_exp(outer, inner):
    """Return the function for which each of both maxima, as the framework is f, goes through."""

    def log_sum_exp(f, x):
        largest = f.functions.max(x)
        exponentials = f.functions.exp(x - inner(f)(largest))
        return outer(f)(largest) + f.functions.log(f.functions.sum(exponentials))

    return log_sum_exp


def hard_sample(f, x):
    """Return the second entry of a one-hot sample, in value; of its probabilities, in gradient."""
    soft = f.functions.softmax(x)
    sample = soft + f.stop_gradient(f.functions.round(soft) - soft)
    return f.functions.sum(f.tensor([0.0, 1.0]) * sample)


def stop(f):
    return f.stop_gradient


def keep(_):
    return lambda x: x


RIGHT = 1 / (1 + math.e)  # softmax of [1, 2]

STOPPED = {
    # function of the framework and x, x, its value, its gradient
    "C01": (lambda f, x: 3 * f.stop_gradient(x), 2.0, 6.0, None),
    "C16": (lambda f, x: f.stop_gradient({"f": x})["f"], 3.0, 3.0, None),
    "C25": (lambda f, x: x + f.stop_gradient(f.functions.round(x) - x), 1.3, 1.0, 1.0),
    "C29": (hard_sample, [1.0, 2.0], 1.0, [-RIGHT * (1 - RIGHT), RIGHT * (1 - RIGHT)]),
    "C39": (lambda f, x: f.stop_gradient(x) * x**2, 3.0, 27.0, 18.0),
    "C39-second": (
        lambda f, x: f.gradient(lambda x: f.stop_gradient(x) * x**2)(x),
        3.0,
        18.0,
        6.0,
    ),
    "C45": (lambda f, x: f.functions.exp(x - f.stop_gradient(x)), 0.7, 1.0, 1.0),
    "C97": (lambda f, x: -x * f.stop_gradient(3 * x), 2.0, -12.0, -6.0),
    "C36-both": (log_sum_exp(stop, stop), [1.0, 2.0], 2 - math.log(1 - RIGHT), [RIGHT, 1 - RIGHT]),
    "C36-neither": (
        log_sum_exp(keep, keep),
        [1.0, 2.0],
        2 - math.log(1 - RIGHT),
        [RIGHT, 1 - RIGHT],
    ),
    "C36-inner": (log_sum_exp(keep, stop), [1.0, 2.0], 2 - math.log(1 - RIGHT), [RIGHT, 2 - RIGHT]),
}


def test_a_stopped_gradient_is_a_constant(framework, mode, stopped):
    function, x, value, slope = stopped

    y, result = mode(framework.vjp(lambda x: function(framework, x)))(framework.tensor(x))

    np.testing.assert_allclose(framework.array(y), value, rtol=1e-6)
    if slope is None:
        assert_gradient(framework, result, None)
    else:
        np.testing.assert_allclose(framework.array(result), slope, rtol=1e-6)


@covers("C48")
def test_a_stopped_gradient_has_no_tangent(framework, mode):
    tangent = mode(framework.jvp(lambda x: framework.stop_gradient(x)))(framework.tensor(3.0))
    assert_is_one_of(framework.NO_TANGENT, framework, tangent)

    half = mode(framework.jvp(lambda x: x * framework.stop_gradient(x)))(framework.tensor(3.0))
    assert_gradient(framework, half, 3)


@covers("C102")
def test_stopped_labels_make_cross_entropy_flat_at_its_minimum(framework, mode):
    functions = framework.functions

    def cross_entropy(logits):
        labels = framework.stop_gradient(functions.softmax(logits))
        return -functions.sum(labels * functions.log_softmax(logits))

    result = mode(framework.gradient(cross_entropy))(framework.tensor([1.0, 2.0]))

    np.testing.assert_allclose(framework.array(result), [0, 0], atol=1e-7)


PAIRS = {
    "C02": (lambda f, a, b: a * f.stop_gradient(b), 5),
    "C98": (lambda f, a, b: a * f.stop_gradient(3 * b), 15),  # a discriminator's step, b generates
}


def test_only_what_is_stopped_is_constant(framework, mode, pair):
    function, expected = pair

    to_a, to_b = mode(framework.gradient(lambda ab: function(framework, *ab)))(
        (framework.tensor(2.0), framework.tensor(5.0))
    )

    assert_gradient(framework, to_a, expected)
    assert_gradient(framework, to_b, None)


@covers("C106")
def test_a_reversal_spares_the_discriminator_and_subtracting_its_loss_does_not(framework, mode):
    """(3 · 2 − 1)² has a slope of 2 · 5 · 3 at the features, 2, and of 2 · 5 · 2 at the weight."""

    def loss(pair):
        features, weight = pair
        return (weight * features - 1) ** 2

    def reversed_loss(pair):
        features, weight = pair
        return loss((framework.scale_gradient(features, -1.0), weight))

    def slopes(function):
        pair = framework.tensor(2.0), framework.tensor(3.0)
        return [framework.array(slope) for slope in mode(framework.gradient(function))(pair)]

    assert slopes(reversed_loss) == [-30, 20]
    assert slopes(lambda pair: -loss(pair)) == [-30, -20]


MASKED = {
    # function of the framework and x that masks the input, its x, and the gradient
    "C30": (
        lambda f, x: f.functions.where(
            x > 0, f.functions.log(f.functions.where(x > 0, x, f.tensor(1.0))), f.tensor(0.0)
        ),
        0.0,
        0.0,
    ),
    "C32": (
        lambda f, x: f.functions.where(
            x < 15,
            x,
            f.functions.exp(f.functions.exp(f.functions.where(x < 15, f.tensor(0.0), x))),
        ),
        10.0,
        1.0,
    ),
    "C33": (
        lambda f, x: (
            x
            / f.functions.where(
                f.tensor([0.0, 1.0]) > 0, f.tensor([0.0, 1.0]), f.tensor([1.0, 1.0])
            )
            * f.tensor([0.0, 1.0])
        ),
        [1.0, 1.0],
        [0.0, 1.0],
    ),
}


def test_a_masked_input_keeps_nan_out_of_the_gradient(framework, mode, masked):
    """Neither operation could do that."""
    function, x, expected = masked

    result = mode(framework.gradient(lambda x: function(framework, x)))(framework.tensor(x))

    assert framework.array(result).tolist() == expected


def test_stopping_does_not(framework, mode):
    """A masked value with an unmasked input: where the gradient stops, the wanted one stops too."""
    functions, zero = framework.functions, framework.tensor(0.0)

    def masked(x, stop):
        return functions.where(x > 0, functions.log(stop(x)), zero)

    late = mode(
        framework.gradient(lambda x: framework.stop_gradient(zero) + masked(x, lambda x: x))
    )
    early = mode(framework.gradient(lambda x: masked(x, framework.stop_gradient) + 0 * x))

    assert np.isnan(framework.array(late(zero)))
    assert framework.array(early(framework.tensor(2.0))) == 0  # instead of 0.5


# MuZero


@pytest.mark.parametrize("loss_scale", [1.0, 0.25])
@covers("C83", "C84", "C85")
def test_unrolled_steps_get_a_geometric_series(framework, mode, loss_scale):
    """h ← w·h three times, w = 2, a head of slope 1 on each state, ½ after it.

    The losses may be scaled too, all alike: MuZero does so by 1/K.
    """

    def loss(parameters):
        state, weights = parameters
        losses = []
        for weight in weights:
            state = weight * state
            losses.append(framework.scale_gradient(state, loss_scale))
            state = framework.scale_gradient(state, 0.5)
        return sum(losses[1:], losses[0])

    parameters = framework.tensor(1.0), [framework.tensor(2.0) for _ in range(3)]
    root, weights = mode(framework.gradient(loss))(parameters)

    assert_gradient(framework, root, 6 * loss_scale)
    expected = [3 * loss_scale, 4 * loss_scale, 4 * loss_scale]
    assert [framework.array(weight) for weight in weights] == expected
