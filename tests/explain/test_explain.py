"""What explain_gradient says about functions whose gradients are known."""

import doctest
import math
from pathlib import Path

import keras
import numpy as np
import pytest
import tensorflow as tf

import gradvalve.explain
from gradvalve.explain import explain_gradient
from gradvalve.tensorflow import scale_gradient, stop_gradient
from tests.operations.comparing import covers


def statuses(*args, **keywords):
    return {row.name: row.status for row in explain_gradient(*args, **keywords)}


def causes(name, *args, **keywords):
    """Return pairs (operation, line of code) that hide an input; all are in this file."""
    (row,) = [row for row in explain_gradient(*args, **keywords) if row.name == name]
    assert row.status == "hidden"
    assert {Path(cause.file) for cause in row.causes} == {Path(__file__)}
    return [(cause.operation, cause.code) for cause in row.causes]


# One operation


@covers("C01")
def test_a_stopped_input_is_hidden_and_the_line_is_named():
    def loss(x):
        stopped = stop_gradient(x)
        return 3 * stopped

    assert causes("x", loss, 2.0) == [("StopGradient", "stopped = stop_gradient(x)")]


HIDING = {
    "round": ("Round", lambda x: tf.round(x)),
    "floor": ("Floor", lambda x: tf.floor(x)),
    "ceil": ("Ceil", lambda x: tf.math.ceil(x)),
    "to integer and back": ("Cast", lambda x: tf.cast(tf.cast(x, tf.int32), tf.float32)),
    "comparison": ("Greater", lambda x: tf.cast(x > 1, tf.float32)),
    "equal": ("Equal", lambda x: tf.cast(tf.equal(x, 2), tf.float32)),
    "index": ("ArgMax", lambda x: tf.gather([1.0, 2.0], tf.argmax([x, 3.0]))),
    "order": ("TopKV2", lambda x: tf.one_hot(tf.argsort([x, 3.0]), 2)),
    "where": ("Greater", lambda x: tf.where(x > 0, 1.0, 2.0)),
    "if": ("Greater", lambda x: 1.0 if x > 0 else 2.0),
    "shape": ("Shape", lambda x: tf.ones(tf.shape(tf.boolean_mask([x], [x > 0])))),
    "integer result": ("ArgMax", lambda x: tf.argmax([x, 3.0])),
    "text": ("AsString", lambda x: tf.strings.to_number(tf.as_string(x))),
    "refused": ("PreventGradient", lambda x: tf.raw_ops.PreventGradient(input=x)),
}


@covers("C24", "C25")
@pytest.mark.parametrize(("operation", "function"), HIDING.values(), ids=HIDING)
def test_what_has_no_gradient_is_named(operation, function):
    (row,) = explain_gradient(function, 2.0)

    assert row.status == "hidden"
    assert [cause.operation for cause in row.causes] == [operation]
    with tf.GradientTape() as tape:
        x = tf.constant(2.0)
        tape.watch(x)
        try:
            gradient = tape.gradient(function(x), x)
        except (LookupError, AttributeError):  # refused, or a loss that is no tensor
            gradient = None
    assert gradient is None


OPEN = {
    "itself": lambda x: x,
    "zero": lambda x: 0 * x,
    "sign": lambda x: tf.sign(x),
    "scaled by zero": lambda x: scale_gradient(x, 0),
    "straight through": lambda x: x + tf.stop_gradient(tf.round(x) - x),
    "max": lambda x: tf.reduce_max([x, 1.0]),
    "where": lambda x: tf.where(x > 0, x, 0.0),
    "map": lambda x: tf.map_fn(lambda row: row * x, tf.ones(3)),
    "scan": lambda x: tf.scan(lambda total, row: total * x + row, tf.ones(3)),
    "nest": lambda x: {"loss": (x, 3)},
}


@covers("C25")
@pytest.mark.parametrize("function", OPEN.values(), ids=OPEN)
def test_what_has_a_gradient_is_reached_even_where_it_is_zero(function):
    assert statuses(function, 2.0) == {"x": "reached"}


def test_one_open_path_is_enough():
    assert statuses(lambda x: tf.stop_gradient(x) * tf.round(x) + x, 2.0) == {"x": "reached"}


def test_each_hidden_path_has_its_cause():
    def loss(x):
        y = tf.round(x)
        return y * tf.stop_gradient(x)

    assert causes("x", loss, 2.0) == [
        ("Round", "y = tf.round(x)"),
        ("StopGradient", "return y * tf.stop_gradient(x)"),
    ]


def test_of_several_causes_along_a_path_the_nearest_to_the_result_is_named():
    def loss(x):
        y = tf.round(x)
        return tf.stop_gradient(y)

    assert causes("x", loss, 2.0) == [("StopGradient", "return tf.stop_gradient(y)")]


def test_what_is_not_used_differs_from_what_is_hidden():
    def loss(x, y, z):  # noqa: ARG001
        return x + 0 * tf.stop_gradient(y)

    assert statuses(loss, 1.0, 2.0, 3.0) == {"x": "reached", "y": "hidden", "z": "unused"}


def test_a_value_computed_but_dropped_is_not_used():
    def loss(x, y):
        stop_gradient(y * x)
        return x**2

    assert statuses(loss, 2.0, 3.0) == {"x": "reached", "y": "unused"}


def test_an_integer_input_says_that_its_type_is_the_reason():
    rows = explain_gradient(lambda x, n: x * tf.cast(n, tf.float32), 2.0, tf.constant(3))

    assert [row.status for row in rows] == ["reached", "hidden"]
    assert str(rows).splitlines()[1] == "n: hidden by int32, a type without gradients"


def test_an_integer_input_is_hidden_even_if_a_rule_has_a_gradient_for_it():
    @tf.custom_gradient
    def real(n):
        return tf.cast(n, tf.float32), lambda upstream: upstream

    assert statuses(lambda n: real(n), tf.constant(3)) == {"n": "hidden"}


def test_a_custom_gradient_is_asked_for_each_input():
    @tf.custom_gradient
    def first_only(x, y):
        return x * y, lambda upstream: (upstream * y, None)

    def loss(x, y):
        return first_only(x, y)

    assert statuses(loss, 2.0, 3.0) == {"x": "reached", "y": "hidden"}
    assert causes("y", loss, 2.0, 3.0) == [("IdentityN", "return first_only(x, y)")]


@covers("C54")
def test_the_scale_is_hidden_from_the_gradient():
    assert statuses(scale_gradient, 3.0, 0.5) == {"x": "reached", "scale": "hidden"}


def test_a_variable_that_was_written_does_not_lead_back_to_what_was_written():
    state = tf.Variable(0.0)

    def loss(x):
        state.assign(x)
        return state * 2

    assert causes("x", loss, 3.0) == [("AssignVariableOp", "state.assign(x)")]
    assert statuses(loss, 3.0) == {"x": "hidden", "state": "reached"}
    assert statuses(lambda x: [state * 2, state.assign(x)][0], 3.0)["x"] == "unused"


# Functions in functions


@tf.function
def stopping(a, b):
    return a * tf.stop_gradient(b)


@covers("C03")
def test_the_line_inside_a_compiled_function_is_named():
    def loss(x, y):
        return stopping(x, y)

    assert statuses(loss, 2.0, 3.0) == {"x": "reached", "y": "hidden"}
    assert causes("y", loss, 2.0, 3.0) == [("StopGradient", "return a * tf.stop_gradient(b)")]


def test_calls_of_one_function_are_kept_apart():
    assert statuses(lambda x, y, z: stopping(x, y) + stopping(z, x), 1.0, 2.0, 3.0) == {
        "x": "reached",
        "y": "hidden",
        "z": "reached",
    }


def test_calls_within_calls_are_kept_apart():
    @tf.function
    def passing(a, b):
        return stopping(a, b)

    assert statuses(lambda x, y, z: passing(x, y) + passing(z, x), 1.0, 2.0, 3.0) == {
        "x": "reached",
        "y": "hidden",
        "z": "reached",
    }


@covers("C03")
def test_a_branch_that_stops_hides_and_one_that_does_not_reaches():
    def loss(x, y):
        return tf.cond(x > 1, lambda: x * y, lambda: x * tf.stop_gradient(y))

    def stopped_in_both(x, y):
        if x > 1:  # noqa: SIM108
            y = tf.stop_gradient(y)
        else:
            y = tf.round(y)
        return x * y

    assert statuses(loss, 2.0, 3.0) == {"x": "reached", "y": "reached"}
    assert causes("y", stopped_in_both, 2.0, 3.0) == [
        ("StopGradient", "y = tf.stop_gradient(y)"),
        ("Round", "y = tf.round(y)"),
    ]


def test_the_index_of_a_case_is_hidden_and_its_branches_are_searched():
    def loss(x, index):
        branches = [lambda: x * 2, lambda: tf.round(x)]
        return tf.switch_case(tf.cast(index, tf.int32), branches)

    assert statuses(loss, 2.0, 1.0) == {"x": "reached", "index": "hidden"}
    assert [operation for operation, _ in causes("index", loss, 2.0, 1.0)] == ["Cast"]


@covers("C03", "C06")
def test_a_loop_is_searched_through_all_its_rounds():
    def loss(x, y, z, n):
        for _ in tf.range(tf.cast(n, tf.int32)):
            x, y, z = x * y, tf.stop_gradient(z), z
        return x

    found = statuses(loss, 2.0, 3.0, 4.0, 5.0)
    assert found == {"x": "reached", "y": "reached", "z": "hidden", "n": "hidden"}
    # y is what z was, one round before
    assert causes("z", loss, 2.0, 3.0, 4.0, 5.0) == [
        ("StopGradient", "x, y, z = x * y, tf.stop_gradient(z), z")
    ]


def test_a_loop_may_run_not_even_once():
    def loss(x, n):
        for _ in tf.range(tf.cast(n, tf.int32)):
            x = tf.constant(1.0)
        return x

    assert statuses(loss, 2.0, 0.0) == {"x": "reached", "n": "hidden"}


def test_what_decides_how_long_a_loop_runs_is_hidden():
    def loss(x, limit):
        while x < limit:
            x = 2 * x
        return x

    assert statuses(loss, 1.0, 10.0) == {"x": "reached", "limit": "hidden"}
    assert causes("limit", loss, 1.0, 10.0) == [("Less", "while x < limit:")]


# Inputs


def test_nests_are_named_by_their_paths_and_numbers_and_arrays_are_inputs():
    def loss(batch, rest, steps, *more):
        return batch["x"] * rest[1] * steps + more[0]

    batch = {"x": np.ones(2, np.float32), "label": tf.constant(1)}
    assert statuses(loss, batch, [None, 2.0], 3, 2.0, 2.0) == {
        "batch['label']": "unused",
        "batch['x']": "reached",
        "rest[1]": "reached",
        "more[0]": "reached",
        "more[1]": "unused",
    }


def test_the_same_tensor_given_twice_is_two_inputs():
    x = tf.constant(2.0)

    def loss(a, b):
        return a * tf.stop_gradient(b)

    assert statuses(loss, x, x) == {"a": "reached", "b": "hidden"}
    assert statuses(loss, 2.0, 2.0) == {"a": "reached", "b": "hidden"}


def test_ragged_and_sparse_tensors_are_inputs():
    ragged, sparse = tf.ragged.constant([[1.0], [2.0, 3.0]]), tf.sparse.from_dense([0.0, 2.0])

    assert "reached" in statuses(lambda x: tf.reduce_sum(x), ragged).values()
    found = statuses(lambda x: tf.sparse.reduce_sum(stop_gradient(x)), sparse)
    assert "reached" not in found.values()


@pytest.fixture(autouse=True, scope="module")
def variables():
    """Global ones. Not made on import: other tests still have to split the processor in two."""
    global weight, frozen, spare
    weight, frozen, spare = tf.Variable(2.0), tf.Variable(3.0, trainable=False), tf.Variable(1.0)


@covers("C02")
def test_trainable_variables_that_are_used_are_listed_under_their_names():
    other = tf.Variable(1.0, name="other")

    def loss(x):
        return weight * x + tf.stop_gradient(other) * frozen

    assert statuses(loss, 2.0) == {"x": "reached", "weight": "reached", "other": "hidden"}


@covers("C72")
def test_wrt_chooses_what_is_explained():
    x = tf.constant(2.0)
    found = statuses(lambda x, y: x * weight * frozen * y, x, 1.0, wrt=[spare, x, frozen])

    assert found == {"spare": "unused", "x": "reached", "frozen": "reached"}
    assert statuses(lambda x: x * weight, 2.0, wrt=weight) == {"weight": "reached"}


def test_variables_can_be_arguments():
    assert statuses(lambda a, b: a * tf.stop_gradient(b), weight, frozen) == {
        "a": "reached",
        "b": "hidden",
    }


def test_a_result_that_is_no_tensor_is_refused():
    with pytest.raises(TypeError, match="fn must return a tensor or a nest of tensors"):
        explain_gradient(lambda x: None, 2.0)  # noqa: ARG005


@pytest.mark.parametrize(
    ("wrt", "kind"), [(lambda: [tf.ones(2)], "EagerTensor"), (lambda: "x", "str")]
)
def test_a_wrt_that_is_not_among_the_arguments_is_refused(wrt, kind):
    with pytest.raises(ValueError, match=f"wrt must hold variables.* of type {kind}"):
        explain_gradient(lambda x: x, 2.0, wrt=wrt())


# Keras


class Rounding(keras.layers.Layer):
    def call(self, x):
        return tf.round(x)


@covers("C59")
def test_a_layer_that_hides_is_named_with_its_line():
    first, last = keras.layers.Dense(1, name="first"), keras.layers.Dense(1, name="last")
    model = keras.Sequential([keras.Input((2,)), first, Rounding(name="rounding"), last])

    def loss(x):
        return tf.reduce_mean(model(x) ** 2)

    found = statuses(loss, tf.ones([3, 2]))
    assert {name.split("/")[-2]: status for name, status in found.items() if "/" in name} == {
        "first": "hidden",
        "last": "reached",
    }
    assert causes("x", loss, tf.ones([3, 2])) == [("Round", "return tf.round(x)")]
    assert "/rounding" in str(explain_gradient(loss, tf.ones([3, 2])))
    by_variable = explain_gradient(loss, tf.ones([3, 2]), wrt=model.trainable_variables)
    assert [row.status for row in by_variable] == ["hidden", "hidden", "reached", "reached"]


@pytest.mark.parametrize("layer", ["LSTM", "GRU", "BatchNormalization", "Dropout", "Conv1D"])
def test_models_of_many_operations_are_reached(layer):
    arguments = {"Dropout": [0.5], "BatchNormalization": []}.get(layer, [2])
    arguments += [2] * (layer == "Conv1D")
    model = keras.Sequential([keras.Input((4, 3)), getattr(keras.layers, layer)(*arguments)])

    found = explain_gradient(lambda x: model(x, training=True), tf.ones([2, 4, 3]))
    assert len(found) == 1 + len(model.trainable_variables)
    assert {row.status for row in found} == {"reached"}


def test_a_model_can_be_explained_before_it_has_variables():
    model = keras.Sequential([keras.layers.Dense(1)])

    assert set(statuses(model, tf.ones([3, 2])).values()) == {"reached"}


# What cannot be traced


LEAVING = {
    "numpy": lambda x: x.numpy(),
    "math": lambda x: math.exp(x),
    "a function of numpy": lambda x: np.sqrt(x),
}


@pytest.mark.parametrize(("name", "leave"), LEAVING.items(), ids=LEAVING)
def test_leaving_tensorflow_is_reported_with_its_line(name, leave):
    x, y = explain_gradient(lambda x, y: leave(x) * y, 2.0, 3.0)

    assert (x.status, y.status) == ("unknown", "reached")
    (cause,) = x.causes
    assert Path(cause.file) == Path(__file__)
    assert cause.code.startswith(f'"{name}": lambda x: ')


@covers("C15")
def test_a_number_made_of_an_input_hides_it():
    def loss(x):
        return x * 0.0 + 1.0 if x is None else float(int(x))

    assert causes("x", loss, 2.7) == [
        ("Cast", "return x * 0.0 + 1.0 if x is None else float(int(x))")
    ]


def test_an_error_of_the_function_itself_is_raised():
    with pytest.raises(tf.errors.InvalidArgumentError, match="Incompatible shapes"):
        explain_gradient(lambda x: x + tf.ones(3), tf.ones(2))


# As text


def test_the_text_has_a_line_per_input_and_below_the_place_of_each_cause(monkeypatch):
    monkeypatch.chdir(Path(__file__).parent)

    def loss(x, y, z):  # noqa: ARG001
        return x * tf.stop_gradient(y)

    explanation = explain_gradient(loss, 1.0, 2.0, 3.0)
    line = explanation[1].causes[0].line
    assert str(explanation).splitlines() == [
        "x: reached",
        "y: hidden by StopGradient, which hides its input",
        f"    test_explain.py:{line}    return x * tf.stop_gradient(y)",
        "z: unused",
    ]


def test_the_example_in_the_docstring_is_right():
    failed, tried = doctest.testmod(gradvalve.explain)

    assert (failed, tried > 0) == (0, True)
