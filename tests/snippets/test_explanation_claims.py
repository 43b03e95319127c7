"""What tutorial/stop, explanation/why-half and explanation/generator say in words."""
# ruff: noqa: N803 (K, as the pages write it)

import math
from pathlib import Path

import pytest

from gradvalve import live
from gradvalve.graph import evaluate, gradients, scale_gradient, stop_gradient, variable
from gradvalve_site import snippets
from tests.snippets.test_page_claims import numbers

EXAMPLES = Path(__file__).parents[2] / "docs" / "live"
ENGLISH = {"labels": None, "words": {}, "decimal": ".", "direction": "ltr"}


def printed(example, **settings):
    """The lines `key: value` that a live example prints with these settings of its controls."""
    source = (EXAMPLES / f"{example}.py").read_text(encoding="utf-8")
    result = live.run(source, settings, ENGLISH)
    assert result["error"] is None
    texts = [children[0] for tag, _, children in result["output"] if tag == "pre"]
    return snippets.parse("".join(texts), example)


def ladder(**settings):
    found = printed("muzero_ladder", **settings)
    return float(found["gradient at w"]), float(found["gradient at h_0"])


@pytest.mark.parametrize(
    ("valves", "derivative"),
    [
        ({}, 4 * 1 + 8 * 0.5),
        ({"s on x": "-0.5", "s on y": "2"}, 4 * -0.5 + 8 * 2),
        ({"s on x": "0", "s on y": "0"}, 0),
        ({"valve on x": "stop", "s on y": "1"}, 8),
        ({"s on x": "1", "valve on y": "stop"}, 4),
        ({"valve on x": "stop", "valve on y": "stop"}, None),
    ],
)
def test_two_valves_follow_the_formula_of_the_start_page(valves, derivative):
    found = printed("two_valves", **valves)

    assert found["z"] == "8.0"
    assert found["dz/dx"] == str(derivative if derivative is None else float(derivative))


@pytest.mark.parametrize("x", [-3, 0, 1.5])
def test_stopped_factor_follows_the_value_of_x(x):
    assert float(printed("two_paths", x=str(x))["dy/dx"]) == 2 * x
    assert float(printed("one_path_stopped", x=str(x))["dy/dx"]) == x


def test_falling_loss_does_not_show_that_the_right_branch_is_stopped():
    ends = {
        stopped: (float(found["prediction"]), float(found["target"]))
        for stopped in ["target", "prediction", "neither"]
        for found in [printed("target_stopped", stop=stopped)]
    }

    assert ends["target"] == (pytest.approx(4, abs=0.05), 4)
    assert ends["prediction"] == (0, pytest.approx(0, abs=0.05))
    assert ends["neither"] == (pytest.approx(2, abs=0.01), pytest.approx(2, abs=0.01))


def test_stopping_the_target_changes_the_gradient_to_the_numbers_of_the_page():
    def squared_error(w, target_weight):
        return (w * 3 - (target_weight + 1)) ** 2

    step = 1e-6
    moved = (squared_error(2 + step, 2 + step) - squared_error(2 - step, 2 - step)) / (2 * step)
    held = (squared_error(2 + step, 2) - squared_error(2 - step, 2)) / (2 * step)

    stopped = printed("generator", **{"the target is": "stopped"})
    open_ = printed("generator", **{"the target is": "not stopped"})
    assert float(stopped["dloss/dw"]) == 18 == pytest.approx(held)
    assert float(open_["dloss/dw"]) == 12 == pytest.approx(moved)
    assert "target" not in stopped["visited"].split()
    assert "target" in open_["visited"].split()


@pytest.mark.parametrize("s", [-1, 0, 0.5, 2])
def test_second_derivative_has_the_square_of_the_scale(s):
    found = printed("second_order", s=str(s))

    assert float(found["dy/dx"]) == pytest.approx(s * 3 * 1.5**2)
    assert float(found["second derivative"]) == pytest.approx(s**2 * 6 * 1.5)


def test_search_visits_each_node_once_however_many_paths_there_are():
    found = numbers("generator/with_python")

    assert found["paths"] == found["slope"] == 2**20
    assert found["visited"] == 21 >= found["nodes_for_slope"]
    assert (found["first"], found["second"]) == (3 * 3**2, 6 * 3)


def weight_sum(K, s, c):
    """Over losses j and applications k <= j of the dynamics function: c s^(j - k)."""
    return c * sum(s ** (j - k) for j in range(1, K + 1) for k in range(1, j + 1))


@pytest.mark.parametrize("K", [1, 2, 5, 10])
@pytest.mark.parametrize("s", [0, 0.35, 0.5, 1])
@pytest.mark.parametrize("scaled", [True, False])
def test_ladder_follows_the_closed_forms_of_each_placement(K, s, scaled):
    c = 1 / K if scaled else 1
    controls = {"K": str(K), "s": str(s), "scale of the unrolled losses": "1/K" if scaled else "1"}
    back = [s ** (j - 1) for j in range(1, K + 1)]  # from loss j to the first dynamics step

    at = {
        placement: ladder(**controls, **{"placement of s": placement})
        for placement in ["pseudocode", "paper's text", "hook"]
    }

    total = weight_sum(K, s, c)
    assert at["pseudocode"] == pytest.approx((total, 1 + c * sum(back)))
    assert at["paper's text"] == pytest.approx((total, 1 + s * c * sum(back)))
    assert at["hook"] == pytest.approx((s * total, 1 + s * c * sum(back)))


@pytest.mark.parametrize("K", [1, 5, 10, 50])
def test_both_factors_keep_the_gradient_between_one_and_two(K):
    found = numbers("why_half/with_python")

    assert found[f"both_{K}"] == pytest.approx(2 - 2 / K * (1 - 2**-K))
    assert found[f"root_{K}"] == pytest.approx(1 + 2 / K * (1 - 2**-K))
    assert 1 <= found[f"both_{K}"] < 2


@pytest.mark.parametrize(
    ("s", "K", "own_weighs_more"),
    [(0.3, 50, True), (0.5, 2, True), (0.5, 50, True), (0.51, 50, False), (1, 3, False)],
)
def test_later_losses_weigh_less_than_the_own_one_up_to_one_half(s, K, own_weighs_more):
    state = h = variable("h", 1)
    losses = []
    for _ in range(K):
        losses.append(h)
        h = scale_gradient(h, s)

    own, *later = [evaluate(gradients(loss, [state]))[0] for loss in losses]

    assert (sum(later) < own) is own_weighs_more


def test_arrivals_at_w_and_at_the_root_tell_all_variants_apart():
    found = numbers("why_half/with_python")
    names = ["pseudocode", "paper", "hook", "root_scaled", "no_half", "neither"]

    pairs = {(round(found[f"{name}_w"], 2), round(found[f"{name}_root"], 2)) for name in names}

    assert len(pairs) == len(names)


def test_hook_halves_all_that_comes_from_unrolled_steps():
    found = numbers("why_half/with_python")

    assert found["hook_w"] == found["pseudocode_w"] / 2
    assert found["hook_root"] - 1 == pytest.approx((found["pseudocode_root"] - 1) / 2)
    assert found["paper_w"] == found["pseudocode_w"]


def test_shares_are_nearly_even_with_one_half_and_grow_fivefold_without():
    found = numbers("why_half/with_python")
    half = [found[f"half_{step}"] for step in range(1, 6)]
    one = [found[f"one_{step}"] for step in range(1, 6)]

    assert half == [round(100 * (2 - 2 ** (1 - j)) / (10 - 2 * (1 - 2**-5))) for j in range(1, 6)]
    assert one == [round(100 * j / 15) for j in range(1, 6)]
    assert max(half[1:]) - min(half[1:]) <= 5
    assert math.isclose(sum(one), 100)


def test_blend_without_the_remainder_has_the_right_gradient_and_the_wrong_value():
    s, x = 0.25, variable("x", 3)
    blend = x * s + stop_gradient(x)

    assert evaluate(gradients(blend, [x])) == [s]
    assert evaluate(blend) == (1 + s) * 3
