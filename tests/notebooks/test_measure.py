"""Gradient norms as plain numbers, and figures of them."""

import math
import sys

import pytest
import tensorflow as tf

from gradvalve import measure

SERIES = {"rising": {1: 1.0, 2: 2.0}, "flat": {1: 1.0, 2: None}}


def test_a_norm_is_that_of_the_gradient():
    weights = {"a": tf.constant([3.0, 4.0]), "b": tf.Variable([[1.0], [2.0]])}

    norms = measure.gradient_norms(
        lambda w: tf.reduce_sum(w["a"] ** 2) / 2 + 2 * tf.reduce_sum(w["b"]), weights
    )

    assert norms == {"a": 5.0, "b": pytest.approx(math.sqrt(8))}
    assert all(type(norm) is float for norm in norms.values())


def test_variables_that_the_loss_closes_over_are_measured():
    weight = tf.Variable(2.0)

    assert measure.gradient_norms(lambda _: weight**3, {"weight": weight}) == {"weight": 12.0}


@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
def test_norms_are_computed_in_double_precision(dtype):
    weight = tf.ones([4], dtype)

    norms = measure.gradient_norms(
        lambda w: tf.reduce_sum(w["w"] * tf.constant(3e4, dtype)), {"w": weight}
    )

    assert norms["w"] == pytest.approx(6e4, rel=0.01)  # its square is no float16


def test_sparse_gradients_count_repeated_rows_together():
    table = tf.Variable(tf.zeros([3, 1]))

    norms = measure.gradient_norms(lambda w: tf.reduce_sum(tf.gather(w["t"], [0, 0])), {"t": table})

    assert norms == {"t": 2.0}


def test_no_path_is_none_and_a_path_of_derivative_zero_is_zero():
    weights = {"unused": tf.constant(1.0), "flat": tf.constant(1.0)}

    norms = measure.gradient_norms(lambda w: 0 * w["flat"], weights)

    assert norms == {"unused": None, "flat": 0.0}


def test_each_step_contributes_its_part_and_the_parts_add_up():
    weights = {"w": tf.constant(2.0, tf.float64)}

    def loss(steps):  # a chain: h1 + h2 + h3
        states = [tf.constant(1.0, tf.float64)]
        for step in steps:
            states.append(step["w"] * states[-1])
        return tf.add_n(states[1:])

    parts = measure.step_gradient_norms(loss, weights, 3)
    whole = measure.gradient_norms(lambda w: loss([w] * 3), weights)

    assert parts == {"w": [7.0, 6.0, 4.0]}
    assert whole == {"w": 17.0}


def test_a_step_that_uses_no_weight_contributes_none():
    weights = {"w": tf.constant(1.0)}

    assert measure.step_gradient_norms(lambda steps: steps[1]["w"], weights, 2) == {
        "w": [None, 1.0]
    }


def a_weight():
    """Made when a test runs: tests of distribution divide the device before any tensor exists."""
    return {"w": tf.constant(1.0)}


ERRORS = {
    "no function": (
        lambda: measure.gradient_norms(1.0, a_weight()),
        TypeError,
        "loss must be a function of the weights, but is 1.0",
    ),
    "no tensor": (
        lambda: measure.gradient_norms(lambda _: 1.0, a_weight()),
        ValueError,
        "loss must return a scalar tensor, but returned 1.0",
    ),
    "no scalar": (
        lambda: measure.gradient_norms(lambda w: tf.stack([w["w"]]), a_weight()),
        ValueError,
        r"loss must return a scalar tensor, but returned <tf.Tensor: shape=\(1,\)",
    ),
    "a list": (
        lambda: measure.gradient_norms(abs, [1.0]),
        TypeError,
        r"weights must be a dict of tensors by name, but is \[1.0\]",
    ),
    "nothing": (
        lambda: measure.gradient_norms(abs, {}),
        ValueError,
        "weights must hold at least one tensor, but is empty",
    ),
    "integers": (
        lambda: measure.gradient_norms(abs, {"w": tf.constant(1)}),
        TypeError,
        r"weights\['w'\] must be a real tensor, but is <tf.Tensor",
    ),
    "a number": (
        lambda: measure.gradient_norms(abs, {"w": 1.0}),
        TypeError,
        r"weights\['w'\] must be a real tensor, but is 1.0",
    ),
    "no steps": (
        lambda: measure.step_gradient_norms(abs, a_weight(), 0),
        ValueError,
        "steps must be an integer above 0, but is 0",
    ),
    "half a step": (
        lambda: measure.step_gradient_norms(abs, a_weight(), 0.5),
        TypeError,
        "steps must be an integer above 0, but is 0.5",
    ),
    "no series": (
        lambda: measure.line_figure({}, "x", "y"),
        ValueError,
        "series must hold at least one {x: y}, but is empty",
    ),
    "a logarithm of 0": (
        lambda: measure.bar_figure({"a": {1: 0.0}}, "x", "y", logarithmic=True),
        ValueError,
        "a logarithmic axis needs y above 0, but 'a' holds {1: 0.0}",
    ),
    "other names": (
        lambda: measure.slider_figure({1: {"a": {}}, 2: {"b": {}}}, "K = ", "x", "y"),
        ValueError,
        "states must be series with the same names in the same order",
    ),
    "no states": (
        lambda: measure.slider_figure({}, "K = ", "x", "y"),
        ValueError,
        "states must be series with the same names",
    ),
}


@pytest.mark.parametrize("mistake", ERRORS)
def test_bad_input_gets_an_error_that_names_the_argument(mistake):
    call, kind, message = ERRORS[mistake]

    with pytest.raises(kind, match=message):
        call()


def test_a_line_and_a_bar_for_each_series():
    for draw in (measure.line_figure, measure.bar_figure):
        figure = draw(SERIES, "steps", "size")

        assert [(trace.name, trace.x, trace.y) for trace in figure.data] == [
            ("rising", (1, 2), (1.0, 2.0)),
            ("flat", (1, 2), (1.0, None)),
        ]
        assert figure.layout.xaxis.title.text == "steps"
        assert figure.layout.yaxis.title.text == "size"


def test_lines_differ_in_their_dashes_and_not_only_in_their_colours():
    figure = measure.line_figure({name: {1: 1.0} for name in "abcd"}, "x", "y")

    assert len({trace.line.dash for trace in figure.data}) == 4


def test_a_logarithmic_axis_skips_gaps():
    assert measure.line_figure(SERIES, "x", "y", logarithmic=True).layout.yaxis.type == "log"


def test_a_slider_exchanges_the_data_and_begins_at_its_end():
    states = {1: {"a": {1: 1.0}}, 2: {"a": {1: 1.0, 2: 2.0}}}
    figure = measure.slider_figure(states, "K = ", "x", "y")

    (slider,) = figure.layout.sliders
    assert [step.label for step in slider.steps] == ["1", "2"]
    assert slider.steps[0].args == ({"x": [[1]], "y": [[1.0]]},)
    assert slider.active == 1
    assert figure.data[0].y == (1.0, 2.0)


@pytest.fixture
def labels():
    yield measure.use_labels
    measure.use_labels(None)


GERMAN = {"rising": "steigend", "flat": "flach", "steps": "Schritte", "size": "Größe"}


def test_figures_are_drawn_with_the_labels_in_use(labels):
    labels(GERMAN, separators=",\u202f")
    figure = measure.line_figure(SERIES, "steps", "size")

    assert [trace.name for trace in figure.data] == ["steigend", "flach"]
    assert figure.layout.xaxis.title.text == "Schritte"
    assert figure.layout.separators == ",\u202f"


def test_a_missing_label_is_named(labels):
    labels({"rising": "steigend"})

    with pytest.raises(LookupError, match="the label 'flat' has no translation"):
        measure.line_figure(SERIES, "steps", "size")


def test_texts_are_all_words_that_a_figure_shows():
    states = {value: {"w₁": {"left": 1.0}, "right": {"h₀": 2.0}} for value in (1, 2)}
    figure = measure.slider_figure(states, "K = ", "steps", "size").to_plotly_json()

    assert measure.texts(figure) == {"left", "right", "steps", "size"}


@pytest.mark.parametrize(
    ("arabic", "isolated"),
    [
        ("الخطوة", "\u2067الخطوة\u2069"),
        ("المعامل 1/K فقط", "\u2067المعامل \u20661/K\u2069 فقط\u2069"),
        ("حالة (K = 1)", "\u2067حالة (\u2066K = 1\u2069)\u2069"),
    ],
)
def test_what_is_latin_in_an_arabic_label_keeps_its_direction(arabic, isolated):
    figure = {"data": [{"name": "label"}], "layout": {}}

    (trace,) = measure.translated(figure, {"label": arabic})["data"]

    assert trace["name"] == isolated


def test_measuring_needs_no_plotly_and_drawing_no_tensorflow(monkeypatch):
    monkeypatch.setitem(sys.modules, "plotly.graph_objects", None)
    assert measure.gradient_norms(lambda w: w["w"], a_weight()) == {"w": 1.0}
    monkeypatch.undo()

    monkeypatch.setitem(sys.modules, "tensorflow", None)
    assert measure.line_figure(SERIES, "x", "y").data
