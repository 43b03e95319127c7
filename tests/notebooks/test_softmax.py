"""What the page says about softmax and log-sum-exp: each such sentence is a test."""

import ast
import math

import jax
import jax.numpy as jnp
import keras
import numpy as np
import optax
import pytest
import tensorflow as tf
import torch

DTYPES = ("float32", "float16", "bfloat16")
RIGHT = [2 / 9, -1 / 9, -1 / 9]  # the first of three equal results: p₁ (1 − p₁), −p₁ p₂, −p₁ p₃


@pytest.fixture(scope="module")
def names(notebook):
    """The definitions of the notebook."""
    defined = {}
    for cell in ("setup", "functions", "gradient", "draws", "parts"):
        exec(notebook.cells[cell].code, defined)
    errors, _, _ = notebook.cells["errors"].code.partition("\n\n\n")
    exec(errors, defined)
    return defined


@pytest.fixture(scope="module")
def ratios(notebook):
    """The error without the stop by that with it: {entries of a row: {dtype: {spread: ratio}}}."""
    figure = notebook.cells["sizes"].figure
    (slider,) = figure["layout"]["sliders"]
    states = {}
    for step in slider["steps"]:
        data = step["args"][0]
        states[int(step["label"])] = {
            trace["name"]: dict(zip(x, y, strict=True))
            for trace, x, y in zip(figure["data"], data["x"], data["y"], strict=True)
        }
    return states


@pytest.fixture(scope="module")
def number(printed):
    return lambda *key: float(printed[", ".join(key)])


def gradient_in_jax(function, x):
    return np.float64(jax.grad(function)(jnp.asarray(x)))


def gradient_in_torch(function, x, dtype=torch.float32):
    x = torch.tensor(x, dtype=dtype, requires_grad=True)
    function(x).backward()
    return x.grad.double().numpy()


def test_the_outputs_hold_no_warnings(notebook):
    # TensorFlow's logger writes to standard output in a notebook, where the machine lets it pass.
    assert not [cell.name for cell in notebook.cells.values() if "WARNING" in cell.text]


# By hand


def test_half_a_stop_moves_the_largest_entry_by_one_and_only_that(printed):
    found = {
        name: ast.literal_eval(printed[name])
        for name in ("both stopped", "neither", "only the outer", "only the inner")
    }
    small, large = 1 / (1 + math.e), math.e / (1 + math.e)

    for name, shift in zip(found, (0, 0, -1, 1), strict=True):
        assert found[name] == pytest.approx([small, large + shift], abs=0.0005)  # three digits


@pytest.mark.parametrize("seed", range(3))
def test_the_right_one_agrees_with_finite_differences_and_the_half_stopped_ones_do_not(names, seed):
    x = np.random.default_rng(seed).normal(size=6)
    h = 1e-6
    slopes = [
        (np.log(np.exp(x + step).sum()) - np.log(np.exp(x - step).sum())) / (2 * h)
        for step in h * np.eye(6)
    ]
    stop, keep = names["stop_gradient"], names["keep"]

    def gradient(*places):
        return names["gradient"](names["log_sum_exp"], tf.constant(x), *places).numpy()

    # Central differences are off by about 1e-10 here: rounding of 1e-16, divided by h.
    for places in ((stop, stop), (keep, keep)):
        assert gradient(*places) == pytest.approx(slopes, abs=1e-8)
    for places, shift in (((stop, keep), -1), ((keep, stop), 1)):
        wrong = slopes + shift * (x == x.max())
        assert gradient(*places) == pytest.approx(wrong, abs=1e-8)


# Through the maximum


def test_one_use_alone_carries_one_and_both_together_carry_rounding(lines):
    drawn = lines("through")

    # One rounding of the largest entry of a gradient of at most 1, per unit of the last place.
    assert list(drawn["one use alone"].values()) == pytest.approx([1] * 7, abs=1e-6)
    for dtype, epsilon in zip(DTYPES, (2**-23, 2**-10, 2**-7), strict=True):
        assert all(0 < y < epsilon for y in drawn[f"both uses, {dtype}"].values())


def test_only_a_branch_of_gradient_zero_leaves_the_gradient_as_it_is(number):
    assert number("softmax") == number("log-sum-exp") == 0
    assert number("outer maximum") == number("inner maximum") == 1
    # The derivative of the cross-entropy with respect to label i is −log p_i.
    small = 1 / (1 + math.e)
    assert number("labels") == pytest.approx(
        math.hypot(math.log(small), math.log(1 - small)), abs=5e-4
    )


def test_labels_from_the_model_bring_in_the_gradient_of_the_entropy(printed):
    small = 1 / (1 + math.e)
    free = ast.literal_eval(printed["labels free"])

    assert free == pytest.approx([small * (1 - small), -small * (1 - small)], abs=5e-4)
    assert free[0] == pytest.approx(0.197)
    assert ast.literal_eval(printed["labels stopped"]) == [0, 0]

    def entropy(x):
        p = np.exp(x) / np.exp(x).sum()
        return -(p * np.log(p)).sum()

    h = 1e-6
    slope = (entropy(np.array([1 + h, 2])) - entropy(np.array([1 - h, 2]))) / (2 * h)
    assert slope == pytest.approx(small * (1 - small), abs=1e-8)


# Ties


def test_tensorflows_documentation_gives_ties_as_the_reason():
    text = " ".join(tf.stop_gradient.__doc__.split())

    assert (
        "if the max values are not unique then the gradient could flow to the wrong input" in text
    )


def test_ties_make_what_flows_through_the_maximum_smaller(lines, number):
    for dtype, line in lines("ties").items():
        assert all(line[tied] < line[1] for tied in range(2, 11))
        assert line[2] < 0.9 * line[1]
        assert line[10] < line[2] / 2
        for tied in (1, 2, 10):
            assert number(f"{dtype}", f"{tied} tied") == pytest.approx(line[tied], rel=0.05)


@pytest.mark.parametrize("seed", range(3))
def test_in_exact_arithmetic_nothing_flows_through_the_maximum_of_softmax(names, seed):
    random = np.random.default_rng(seed)
    x, weights = random.normal(size=(2, 50, 10))
    x[:, :4] = x.max(axis=-1, keepdims=True)

    stopped, whole = (
        names["gradient"](names["softmax"], tf.constant(x), maximum, weights=weights).numpy()
        for maximum in (names["stop_gradient"], names["keep"])
    )

    # As near to exact as it gets: the last bits of float64.
    assert np.abs(stopped - whole).max() < 1e-15


def test_which_of_the_tied_entries_the_maximum_picks_makes_no_difference_in_pytorch():
    x, weights = [3.0, 3.0, 1.0], torch.tensor([0.5, -1.0, 2.0])

    def loss(maximum):
        def of(x):
            e = torch.exp(x - maximum(x))
            return (weights * e / e.sum()).sum()

        return of

    def picks(x):
        return x.max(dim=0).values

    assert gradient_in_torch(picks, x).tolist() == [1, 0, 0]
    assert gradient_in_torch(torch.amax, x).tolist() == [0.5, 0.5, 0]
    one, shared, none = (
        gradient_in_torch(loss(maximum), x)
        for maximum in (picks, torch.amax, lambda x: torch.amax(x).detach())
    )
    # Some roundings of entries below 1.
    assert one == pytest.approx(none, abs=3e-7)
    assert shared == pytest.approx(none, abs=3e-7)


# Accuracy


@pytest.mark.parametrize("dtype", DTYPES)
def test_for_flat_logits_the_stop_wins_for_every_seed_and_for_peaked_ones_it_loses(printed, dtype):
    assert printed[f"{dtype}, flat, better stopped"] == "10 of 10"
    assert printed[f"{dtype}, peaked, better stopped"] == "0 of 10"


def test_the_bars_say_so_too(lines):
    bars = lines("errors")

    for dtype in DTYPES:
        flat, peaked, ties = (
            bars["not stopped"][f"{dtype}, {kind}"] / bars["stopped"][f"{dtype}, {kind}"]
            for kind in ("flat", "peaked", "ties")
        )
        assert flat > 1.2
        assert peaked < 0.6
        assert 7 / 8 < ties < 1


def test_with_ties_the_stop_is_less_accurate_for_every_seed_by_less_than_a_seventh(names, printed):
    for dtype in DTYPES:
        stopped, whole = names["errors"](dtype, 10, 1, 3)

        assert printed[f"{dtype}, ties, better stopped"] == "0 of 10"
        assert (whole / stopped > 7 / 8).all()
        assert (whole / stopped < 1).all()


def test_all_errors_are_of_the_order_of_rounding(lines):
    # The bounds are those that the seeds leave room for: a few units of the last place.
    for dtype, epsilon in zip(DTYPES, (2**-23, 2**-10, 2**-7), strict=True):
        for name, bars in lines("errors").items():
            found = [error for place, error in bars.items() if place.startswith(dtype)]
            assert all(0 < error < 5 * epsilon for error in found), name


def test_the_exact_gradient_is_that_of_jax_in_float64(names):
    exact, _, _ = names["parts"]("float32", 10, 1)
    x = names["tf"].cast(names["draw"](10, 1), "float32").numpy()[0, 0]
    weights = names["normal"](range(100, 110), 10)[0, 0].astype(np.float32)

    with jax.enable_x64(True):
        found = jax.grad(lambda x: (weights.astype(np.float64) * jax.nn.softmax(x)).sum())(
            jnp.asarray(x, jnp.float64)
        )

    assert exact[0, 0] == pytest.approx(np.asarray(found), abs=1e-14)


@pytest.mark.parametrize("spread", [0.1, 10])
def test_without_the_stop_the_largest_entry_gets_minus_the_sum_of_the_others(names, spread):
    _, stopped, whole = names["parts"]("float32", 10, spread)
    largest = np.argmax(names["draw"](10, spread), axis=-1)[..., None]

    def without_largest(values):
        values = values.copy()
        np.put_along_axis(values, largest, 0, axis=-1)
        return values

    assert np.array_equal(without_largest(stopped), without_largest(whole))
    others = -without_largest(whole).sum(axis=-1)
    found = np.take_along_axis(whole, largest, axis=-1)[..., 0]
    # Ten additions of numbers below 1 in float32, each rounded.
    assert np.abs(found - others).max() < 10 * 2**-24 * np.abs(whole).max()


def test_the_gradient_of_softmax_adds_up_to_zero(names):
    exact, _, _ = names["parts"]("float32", 10, 1)

    assert np.abs(exact.sum(axis=-1)).max() < 1e-14


@pytest.mark.parametrize("dtype", DTYPES)
def test_the_longer_the_row_the_more_spread_it_takes_until_the_stop_loses(ratios, dtype):
    assert sorted(ratios) == [3, 10, 100]
    last_wins = []
    for states in ratios.values():
        line = states[dtype]
        assert line[0.1] > 1.1
        assert line[10] < 0.6
        wins = [spread for spread, ratio in line.items() if ratio > 1]
        assert wins == list(line)[: len(wins)]  # the line crosses 1 once
        last_wins.append(max(wins))

    assert last_wins == sorted(set(last_wins))
    flat = [states[dtype][0.1] for states in ratios.values()]
    assert flat == sorted(flat)


# Cost


@pytest.mark.parametrize("function", ["softmax", "log-sum-exp"])
def test_the_stop_saves_nodes_instructions_and_two_reductions(number, lines, function):
    stopped, whole = f"{function}, stopped", f"{function}, not stopped"

    for bars in lines("instructions").values():
        assert bars[stopped] < 0.7 * bars[whole]
    for kind, bars in lines("instructions").items():
        assert (bars[stopped], bars[whole]) == (number(stopped, kind), number(whole, kind))
    assert number(whole, "reductions") - number(stopped, "reductions") == 2


# Without the maximum


@pytest.mark.parametrize("dtype", DTYPES)
def test_exp_and_the_sum_overflow_where_the_table_says(number, dtype):
    def overflows(x):
        e = tf.exp(tf.cast([x] * 3, dtype))
        return [bool(tf.math.is_inf(tf.cast(y, tf.float32))) for y in (e[0], tf.reduce_sum(e))]

    # The largest logit of this type that is below a limit, and the next one above.
    step = {"float32": 0.01, "float16": 0.01, "bfloat16": 0.5}[dtype]
    exp, total = number(dtype, "exp"), number(dtype, "sum")
    assert overflows(exp - step) == [False, True]
    assert overflows(exp + step)[0]
    assert overflows(total - step) == [False, False]
    assert overflows(total + step) == [False, True]


def test_the_gradient_fails_where_the_arithmetic_says(number):
    # Compiled: S² = (3 eˣ)² overflows at 2¹²⁸, in float16 at 65520, which rounds to infinity.
    # The limits are found on a grid of 0.01, in float16 on its own numbers, 0.004 apart there.
    assert number("float32", "compiled") == pytest.approx(math.log(2**64 / 3), abs=0.011)
    assert number("float16", "compiled") == pytest.approx(math.log(65520**0.5 / 3), abs=0.011)
    # Not compiled: (1/3) / S falls below the smallest normal number, 2⁻¹²⁶, and is flushed to 0.
    assert number("float32", "not compiled") == pytest.approx(math.log(2**126 / 9), abs=0.011)


@pytest.mark.parametrize("dtype", DTYPES)
@pytest.mark.parametrize("how", ["compiled", "not compiled"])
def test_the_gradient_fails_no_later_than_the_value(number, dtype, how):
    assert number(dtype, how) <= number(dtype, "sum") + 0.01  # the step of the grid


@pytest.mark.parametrize(
    ("dtype", "how"),
    [
        ("float32", "not compiled"),
        ("float32", "compiled"),
        ("float16", "compiled"),
        ("bfloat16", "not compiled"),
        ("bfloat16", "compiled"),
    ],
)
def test_and_elsewhere_while_the_value_is_still_right(number, dtype, how):
    x = tf.cast([[number(dtype, how)] * 3], dtype)
    value = tf.exp(x) / tf.reduce_sum(tf.exp(x))

    assert tf.cast(value, tf.float32).numpy()[0] == pytest.approx([1 / 3] * 3, rel=0.01)
    assert number(dtype, how) < number(dtype, "sum") - 1


def test_an_infinite_sum_gives_zeros_and_no_nan():
    for dtype, x in (("float32", 88.0), ("bfloat16", 88.0), ("float16", 10.5)):
        e = tf.exp(tf.cast([x] * 3, dtype))

        assert tf.cast(e / tf.reduce_sum(e), tf.float32).numpy().tolist() == [0, 0, 0]


def test_the_gradient_without_the_maximum_becomes_wrong_then_zero_then_nan(lines):
    drawn = lines("overflow")
    right, wrong = np.linalg.norm(RIGHT), 1 / 3  # without the part through the sum: p₁ alone

    assert list(drawn["with the maximum"].values()) == pytest.approx([right] * 51)
    for name, first in (("naive", 86), ("naive, compiled", 44)):
        for x, size in drawn[name].items():
            if x > 88:
                assert size is None
            elif x > 86:
                assert size == 0
            else:
                assert size == pytest.approx(wrong if x >= first else right)


def in_jax(x):
    e = jnp.exp(x)
    return (e / e.sum())[0]


def in_torch(x):
    e = torch.exp(x)
    return (e / e.sum())[0]


@pytest.mark.parametrize("run", [lambda f: f, jax.jit])
def test_in_jax_it_is_wrong_from_43_on_compiled_or_not(run):
    def gradient(entry):
        return np.asarray(run(jax.grad(in_jax))(jnp.full(3, entry, jnp.float32)))

    assert gradient(42.0) == pytest.approx(RIGHT, rel=1e-5)
    for entry in (43.0, 60.0, 86.0):
        assert gradient(entry) == pytest.approx([1 / 3, 0, 0], rel=1e-5)
    assert in_jax(jnp.full(3, 60.0, jnp.float32)) == pytest.approx(1 / 3)


def test_in_pytorch_it_stays_right_until_the_sum_overflows():
    for entry in (43.0, 60.0, 86.0, 87.6):
        assert gradient_in_torch(in_torch, [entry] * 3) == pytest.approx(RIGHT, rel=1e-4)
    assert gradient_in_torch(in_torch, [87.7] * 3).tolist() == [0, 0, 0]


# Rows of −inf


def test_a_row_of_minus_infinity_is_nan_with_and_without_the_stop(printed):
    for name in ("stopped", "not stopped", "its gradient"):
        assert printed[f"all masked, {name}"] == "[nan nan nan]"
    assert printed["all masked, log-sum-exp"] == "-inf"


MASKED = [-math.inf] * 3


def test_in_all_frameworks_softmax_and_log_softmax_of_such_a_row_are_nan():
    for results in (
        tf.nn.softmax(MASKED),
        tf.nn.log_softmax(MASKED),
        jax.nn.softmax(jnp.array(MASKED)),
        jax.nn.log_softmax(jnp.array(MASKED)),
        torch.softmax(torch.tensor(MASKED), 0),
        torch.log_softmax(torch.tensor(MASKED), 0),
    ):
        assert np.isnan(np.asarray(results)).all()
    assert tf.math.is_nan(tf.nn.softmax_cross_entropy_with_logits([1.0, 0, 0], MASKED))


def test_log_sum_exp_of_it_is_minus_infinity_with_a_gradient_of_nan():
    assert jax.nn.logsumexp(jnp.array(MASKED)) == -math.inf
    assert torch.logsumexp(torch.tensor(MASKED), 0) == -math.inf
    assert np.isnan(gradient_in_jax(jax.nn.logsumexp, MASKED)).all()
    assert np.isnan(gradient_in_torch(lambda x: torch.logsumexp(x, 0), MASKED)).all()


def test_jax_softmax_with_where_gives_zeros_and_no_gradient():
    nowhere = jnp.zeros(3, bool)

    assert jax.nn.softmax(jnp.array(MASKED), where=nowhere).tolist() == [0, 0, 0]
    found = gradient_in_jax(lambda x: jax.nn.softmax(x, where=nowhere)[0], MASKED)
    assert found.tolist() == [0, 0, 0]


# What the functions do inside


@pytest.mark.parametrize("function", [jax.nn.softmax, jax.nn.log_softmax, jax.nn.logsumexp])
def test_jax_stops_the_maximum(function):
    text = str(jax.make_jaxpr(function)(jnp.ones(3)))

    assert "reduce_max" in text
    assert "stop_gradient" in text


@pytest.mark.parametrize(
    ("function", "rule"),
    [
        (lambda x: torch.softmax(x, 0), "SoftmaxBackward0"),
        (lambda x: torch.log_softmax(x, 0), "LogSoftmaxBackward0"),
        (lambda x: torch.logsumexp(x, 0), "LogsumexpBackward0"),
    ],
)
def test_pytorch_has_one_rule_for_the_whole_function(function, rule):
    y = function(torch.ones(3, requires_grad=True))

    assert type(y.grad_fn).__name__ == rule
    (before,) = [node for node, _ in y.grad_fn.next_functions]
    assert type(before).__name__ == "AccumulateGrad"  # it is the only step


@pytest.mark.parametrize(
    ("function", "operation"),
    [
        (tf.nn.softmax, "Softmax"),
        (tf.nn.log_softmax, "LogSoftmax"),
        (
            lambda x: tf.nn.softmax_cross_entropy_with_logits(x, x),
            "SoftmaxCrossEntropyWithLogits",
        ),
    ],
)
def test_tensorflow_has_one_operation_for_the_whole_function(function, operation):
    graph = tf.function(function).get_concrete_function(tf.TensorSpec([2, 3])).graph
    found = {node.type for node in graph.get_operations()}

    assert operation in found
    assert not {"Max", "Exp", "Log"} & found


def test_log_sum_exp_takes_0_for_an_infinite_maximum_in_tensorflow_and_jax():
    graph = tf.function(tf.reduce_logsumexp).get_concrete_function(tf.TensorSpec([3])).graph

    assert {"Max", "IsFinite", "SelectV2", "StopGradient"} <= {
        node.type for node in graph.get_operations()
    }
    assert "is_finite" in str(jax.make_jaxpr(jax.nn.logsumexp)(jnp.ones(3)))


# Labels


def in_tensorflow(function, x):
    x = tf.constant([x])
    with tf.GradientTape() as tape:
        tape.watch(x)
        loss = function(x)
    return tape.gradient(loss, x).numpy()[0]


LABELS = {
    "TensorFlow": lambda x: in_tensorflow(
        lambda x: tf.nn.softmax_cross_entropy_with_logits(tf.nn.softmax(x), x), x
    ),
    "Keras": lambda x: in_tensorflow(
        lambda x: keras.ops.categorical_crossentropy(keras.ops.softmax(x), x, from_logits=True), x
    ),
    "PyTorch": lambda x: gradient_in_torch(
        lambda x: torch.nn.functional.cross_entropy(x[None], torch.softmax(x, 0)[None]), x
    ),
    "Optax": lambda x: gradient_in_jax(
        lambda x: optax.softmax_cross_entropy(x, jax.nn.softmax(x)), x
    ),
}


@pytest.mark.parametrize("framework", LABELS)
def test_case_c102_every_framework_sends_a_gradient_to_the_labels(framework):
    found = LABELS[framework]([1.0, 2.0])

    assert found == pytest.approx([0.19661, -0.19661], abs=1e-5)


def test_the_old_cross_entropy_of_tensorflow_stops_them():
    def loss(x):
        return tf.compat.v1.nn.softmax_cross_entropy_with_logits(labels=tf.nn.softmax(x), logits=x)

    assert in_tensorflow(loss, [1.0, 2.0]) == pytest.approx([0, 0], abs=1e-6)
