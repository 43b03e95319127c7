"""What the page on softmax says in words, beside what its snippets and its live example print."""

import ast
import math
from pathlib import Path

import pytest
import tensorflow as tf

from gradvalve import graph, live
from gradvalve_site import snippets

DOCS = Path(__file__).parents[2] / "docs"
EXAMPLE = (DOCS / "live" / "softmax.py").read_text(encoding="utf-8")
VARIANTS = ["both", "neither", "only_outer", "only_inner"]


def printed(name: str, framework: str = "tensorflow") -> dict:
    return snippets.values(DOCS / "snippets" / name / f"with_{framework}.txt")


def run_example(monkeypatch, **settings) -> dict:
    """Return the gradient of each variant that the example plots."""
    plotted = {}

    def plot(names, bars, **_):
        for i, name in enumerate(names):
            plotted[name] = [values[i] for _, values in bars]

    controls = {"second entry": "second", "added to all entries": "added"}
    monkeypatch.setattr(live, "plot", plot)
    monkeypatch.setattr(live, "slider", lambda name, value, *_: settings.get(controls[name], value))
    monkeypatch.setattr(live, "show", lambda *_: None)
    monkeypatch.setattr(live, "choice", lambda _, options: options[0])
    exec(compile(EXAMPLE, "example", "exec"), {})
    return plotted


def gradient_of(function, x) -> list[float]:
    x = tf.constant(x)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    return tape.gradient(y, x).numpy().tolist()


def test_tensorflows_own_functions_neither_overflow_nor_have_a_wrong_gradient():
    x = [1000.0, 1000.0, 0.0]

    assert tf.nn.softmax(x).numpy().tolist() == [0.5, 0.5, 0.0]
    assert gradient_of(tf.reduce_logsumexp, x) == [0.5, 0.5, 0.0]
    assert gradient_of(lambda x: tf.nn.softmax(x)[0], x) == [0.25, -0.25, 0.0]


def test_own_functions_agree_with_tensorflows():
    values = printed("softmax")

    assert values["softmax"] == values["tf_softmax"] == "[0.5 0.5 0. ]"
    assert values["log_sum_exp"] == values["tf_log_sum_exp"]
    assert float(values["log_sum_exp"]) == pytest.approx(1000 + math.log(2))


@pytest.mark.parametrize(
    ("function", "operations"),
    [(tf.reduce_logsumexp, {"Max", "StopGradient"}), (tf.nn.softmax, {"Softmax"})],
)
def test_log_sum_exp_stops_its_maximum_and_softmax_is_one_operation(function, operations):
    graph = tf.function(function).get_concrete_function(tf.TensorSpec([3])).graph
    found = {operation.type for operation in graph.get_operations()}

    assert operations <= found
    assert ("Softmax" in found) != ("Exp" in found)


def test_stopping_one_maximum_moves_the_tied_entries_by_one_together_and_keeps_the_value():
    values = printed("log_sum_exp")
    gradients = {name: ast.literal_eval(values[name]) for name in VARIANTS}
    exponentials = [math.exp(x) for x in (3, 3, 1)]
    softmax = [e / sum(exponentials) for e in exponentials]
    shifts = {"both": 0, "neither": 0, "only_outer": -0.5, "only_inner": 0.5}

    for name, shift in shifts.items():
        expected = [softmax[0] + shift, softmax[1] + shift, softmax[2]]
        assert gradients[name] == pytest.approx(expected, abs=0.0006)
        assert float(values[f"{name}_sum"]) == 1 + 2 * shift
    assert len({values[f"{name}_value"] for name in VARIANTS}) == 1


@pytest.mark.parametrize("second", [3, 2.5, 3.5])
def test_breaking_the_tie_gives_the_whole_error_to_the_largest_entry(second, monkeypatch):
    plotted = run_example(monkeypatch, second=second)
    x = [3, second, 1]
    share = 1 / x.count(max(x))

    assert plotted["neither"] == pytest.approx(plotted["both"])
    for name, shift in (("only outer", -share), ("only inner", share)):
        expected = [
            slope + shift * (entry == max(x))
            for entry, slope in zip(x, plotted["both"], strict=True)
        ]
        assert plotted[name] == pytest.approx(expected)


def test_case_c36_only_the_inner_maximum_stopped():
    x = graph.variable("x", [1, 2])
    largest = graph.reduce_max(x)
    stopped = graph.stop_gradient(largest)

    def gradient(outer):
        result = outer + graph.log(graph.reduce_sum(graph.exp(x - stopped)))
        return graph.evaluate(graph.gradients(result, [x])[0])

    assert gradient(largest) == pytest.approx([0.269, 1.731], abs=0.0005)
    assert gradient(stopped) == pytest.approx([0.269, 0.731], abs=0.0005)


def test_only_the_version_without_a_maximum_overflows_and_above_709_78(monkeypatch):
    assert printed("naive_softmax")["limit_float64"] == "709.78"
    for added, fails in ((700, False), (706.78, False), (706.79, True), (800, True)):
        plotted = run_example(monkeypatch, added=added)

        assert math.isnan(plotted.pop("no maximum")[0]) is fails
        assert all(math.isfinite(slope) for row in plotted.values() for slope in row)


@pytest.mark.parametrize("x", [[3.0, 3.0, 1.0], [3.0, 2.0, 1.0], [0.0] * 5, [-1.0, 7.0, 7.0, 7.0]])
@pytest.mark.parametrize("weight", [1.0, -2.5])
def test_gradient_through_the_maximum_is_rounding_with_and_without_ties(x, weight):
    def first(stop):
        def softmax(x):
            largest = tf.reduce_max(x)
            e = tf.exp(x - (tf.stop_gradient(largest) if stop else largest))
            return weight * (e / tf.reduce_sum(e))[0]

        return softmax

    assert gradient_of(first(True), x) == pytest.approx(gradient_of(first(False), x), abs=1e-6)


def test_stopping_both_maxima_halves_the_operations():
    assert printed("softmax_cost", "python") == {"both": "8", "neither": "16"}


def test_the_sum_overflows_before_any_exponential_does():
    values = printed("naive_softmax")

    assert float(values["limit_float32"]) == round(math.log(tf.float32.max), 2)
    assert math.isfinite(tf.exp(88.0))
    assert math.isinf(tf.exp(89.0))
    assert math.isinf(tf.reduce_sum(tf.exp([88.0] * 3)))
    assert values["at_87"] == "[0.333, 0.333, 0.333]"
    assert values["at_88"] == "[0.0, 0.0, 0.0]"
    assert values["at_89"] == "[nan, nan, nan]"


def test_case_c102_labels_from_the_model_get_a_gradient_unless_stopped():
    assert printed("model_labels") == {"not_stopped": "[0.197, -0.197]", "stopped": "[0.0, 0.0]"}


@pytest.mark.parametrize("maximum", [tf.reduce_max, lambda x: tf.stop_gradient(tf.reduce_max(x))])
def test_row_of_minus_infinity_is_nan_with_or_without_a_stop(maximum):
    x = tf.fill([3], -math.inf)
    e = tf.exp(x - maximum(x))

    assert all(map(math.isnan, (e / tf.reduce_sum(e)).numpy()))
    assert all(map(math.isnan, tf.nn.softmax(x).numpy()))
    assert tf.reduce_logsumexp(x) == -math.inf
    assert all(map(math.isnan, gradient_of(tf.reduce_logsumexp, x)))


def test_replaced_row_is_uniform_and_sends_no_gradient():
    values = printed("masked_row")

    assert values["plain"] == "[[0.731, 0.269, 0.0], [nan, nan, nan]]"
    assert values["replaced"] == "[[0.731, 0.269, 0.0], [0.333, 0.333, 0.333]]"
    assert values["gradient"] == "[[0.197, -0.197, 0.0], [0.0, 0.0, 0.0]]"
