"""What the page on edited derivatives says in words, beside what its snippets print."""

from pathlib import Path

import pytest

from gradvalve import graph, live
from gradvalve_site import snippets

DOCS = Path(__file__).parents[2] / "docs"
SNIPPETS = DOCS / "snippets"
FUNCTIONS = {  # of an input and of the valve that stands in it
    "before": lambda x, valve: valve(x) ** 3,
    "after": lambda x, valve: valve(x**3),
    "one of two paths": lambda x, valve: x * valve(x),
    "in the middle": lambda x, valve: graph.tanh(valve(graph.exp(x)) * x),
    "two in a row": lambda x, valve: valve(valve(x)) ** 3,
}


def printed(name: str) -> dict:
    values = snippets.values(SNIPPETS / name / "with_tensorflow.txt")
    return {key: float(text) for key, text in values.items() if not text.startswith("[")}


def derivatives(y, x) -> list[float]:
    """Return the value and the first two derivatives."""
    first = graph.gradients(y, [x])[0]
    return graph.evaluate([y, first, graph.gradients(first, [x])[0]])


@pytest.mark.parametrize("scale", [-1, 0.25, 0.5, 1, 2])
@pytest.mark.parametrize("name", FUNCTIONS)
def test_valve_has_value_and_derivatives_of_its_stand_in(name, scale):
    def stand_in(node):
        held = graph.evaluate(node)
        return scale * node + (1 - scale) * held

    x = graph.variable("x", 0.7)
    edited = FUNCTIONS[name](x, lambda node: graph.scale_gradient(node, scale))
    replaced = FUNCTIONS[name](x, stand_in)

    assert derivatives(edited, x) == pytest.approx(derivatives(replaced, x), rel=1e-12)


def test_stopped_value_is_the_stand_in_at_scale_zero():
    x = graph.variable("x", 0.7)

    stopped = derivatives(x * graph.stop_gradient(x) + x**2, x)

    assert stopped == pytest.approx(derivatives(x * 0.7 + x**2, x), rel=1e-12)


def test_scaled_gradient_and_learning_rate_agree_for_one_whole_loss():
    ends = printed("whole_loss")

    assert ends["sgd_scaled"] == ends["sgd_half_rate"] == pytest.approx(2 * 0.8**10, abs=1e-6)
    assert ends["sgd"] == pytest.approx(2 * 0.6**10, abs=1e-6)


def test_adam_undoes_a_half_up_to_the_sixth_decimal_but_not_a_ten_millionth():
    ends = printed("whole_loss")

    assert 0 < abs(ends["adam_half"] - ends["adam"]) < 5e-6
    assert 2 - ends["adam_ten_millionth"] < 0.3 * (2 - ends["adam"])


def test_scaling_one_of_two_losses_moves_the_end_and_the_learning_rate_does_not():
    ends = printed("training_end")

    assert ends["two"] == ends["two_half_rate"] == 0
    # The end is where s * 2 * (w - 1) + 2 * (w + 1) = 0.
    assert ends["two_scaled"] == ends["two_scaled_adam"] == pytest.approx(-1 / 3, abs=5e-4)


def test_decay_counts_more_for_a_scaled_gradient_except_under_adamw():
    ends = printed("training_end")

    # The end is where s * 2 * (w - 1) + w / 2 = 0.
    assert ends["decay"] == ends["decay_half_rate"] == pytest.approx(2 / 2.5, abs=5e-4)
    assert ends["decay_scaled"] == pytest.approx(1 / 1.5, abs=5e-4)
    assert ends["decay_adamw"] == ends["decay_scaled_adamw"]


def test_clipping_undoes_a_scale_that_leaves_the_norm_above_the_limit():
    norms = printed("clipping")

    assert norms["half"] == norms["whole"] / 2 > 1
    assert norms["half_clipped"] == norms["whole_clipped"] == pytest.approx(1)
    assert norms["tenth_clipped"] == norms["tenth"] == pytest.approx(norms["whole"] / 10)


def test_sum_of_edited_slopes_depends_on_the_way():
    sums = printed("path_dependence")

    assert sums["plain_x_first"] == sums["plain_y_first"] == 1  # f(1, 1) - f(0, 0)
    # Along x at y = 0 nothing rises, along y at x = 1 the slope is 1; along x at y = 1 it is s.
    assert (sums["scaled_x_first"], sums["scaled_y_first"]) == (1, 0.5)


@pytest.mark.parametrize(("name", "scale"), [("open", 1), ("half", 0.5), ("closed", 0)])
def test_finite_differences_agree_with_the_stand_in_and_not_with_the_value(name, scale):
    found = printed("gradient_check")

    assert found[f"{name}_tape"] == found[f"{name}_stand_in"] == 3 + scale * 3
    assert found[f"{name}_differences"] == 2 * 3


def test_second_derivative_depends_on_the_place_of_the_valve():
    found = printed("place")
    x, s = 1.5, 0.5

    expected = {
        "plain": [x**3, 3 * x**2, 6 * x],
        "inside": [x**3, s * 3 * x**2, s**2 * 6 * x],
        "outside": [x**3, s * 3 * x**2, s * 6 * x],
        "twice": [x**3, s**2 * 3 * x**2, s**4 * 6 * x],
    }

    orders = ("value", "first", "second")
    assert {name: [found[f"{name}_{order}"] for order in orders] for name in expected} == expected


def test_valve_on_the_input_leaves_the_weight_alone():
    text = snippets.values(SNIPPETS / "place" / "with_tensorflow.txt")
    x, w = 1.5, 4.0

    assert text["input_side"] == str([w / 2, x])
    assert text["output_side"] == str([w / 2, x / 2])


def text_of(tree) -> str:
    return tree if isinstance(tree, str) else "".join(map(text_of, tree[2]))


def rows_of_the_example(scale: float) -> dict[str, list[str]]:
    """Return the table of the live example: value, difference, gradient, second, last x."""
    source = (DOCS / "live" / "edited_derivative.py").read_text(encoding="utf-8")
    shown = live.run(source, {"s": str(scale)}, {"labels": None, "words": {}, "decimal": "."})
    assert shown["error"] is None
    body = next(tree for tree in shown["output"] if tree[0] == "table")[2][1][2]
    texts = [[text_of(cell) for cell in row[2]] for row in body]
    return {name: numbers for name, *numbers in texts}


def test_example_ends_at_one_x_for_scaled_gradient_loss_and_learning_rate():
    rows = rows_of_the_example(0.5)

    ends = {rows[name][-1] for name in ("scale_gradient(L, s)", "s * L", "learning rate × s")}
    assert ends == {"0.215"}
    assert {rows[name][-1] for name in ("L", "gradient clipped at 2", "Adam")}.isdisjoint(ends)
    assert rows["s * L"][0] != rows["L"][0] == rows["scale_gradient(L, s)"][0]
    assert rows["learning rate × s"][:4] == rows["L"][:4]


def test_example_disagrees_with_finite_differences_where_the_gradient_alone_is_changed():
    disagreeing = {
        name
        for name, (_, difference, gradient, *_) in rows_of_the_example(0.5).items()
        if difference != gradient
    }

    assert disagreeing == {
        "scale_gradient(L, s)",
        "scale_gradient(x, s) ** 2",
        "gradient clipped at 2",
        "Adam, scale_gradient(L, s)",
    }


@pytest.mark.parametrize("scale", [0.1, 1.0, 2.0])
def test_example_with_adam_ends_at_the_same_x_unless_the_scale_is_zero(scale):
    rows = rows_of_the_example(scale)

    ends = [float(rows[name][-1]) for name in ("Adam", "Adam, scale_gradient(L, s)")]
    assert ends[0] == pytest.approx(ends[1], abs=0.0011)  # the last digit shown may differ
    assert rows_of_the_example(0.0)["Adam, scale_gradient(L, s)"][-1] == "2"
