"""The pages say in words what the snippets print in numbers: here each such sentence is a test."""

import ast
import math
from pathlib import Path

import pytest

from gradvalve_site import snippets

SNIPPETS = Path(__file__).parents[2] / "docs" / "snippets"


def numbers(name: str) -> dict:
    recorded = snippets.values(SNIPPETS / f"{name}.txt")
    return {
        key: float(text) if text in ("inf", "nan") else ast.literal_eval(text)
        for key, text in recorded.items()
    }


@pytest.mark.parametrize("steps", [1, 5, 10, 50])
def test_dynamics_gradient_follows_the_closed_forms(steps):
    printed = numbers("unroll/with_tensorflow")
    closed_forms = {
        "neither": steps * (steps + 1) / 2,
        "loss_only": (steps + 1) / 2,
        "state_only": 2 * steps - 2 * (1 - 2**-steps),
        "both": 2 - 2 / steps * (1 - 2**-steps),
    }

    assert {name: printed[f"{name}_{steps}"] for name in closed_forms} == pytest.approx(
        closed_forms, abs=0.005
    )


def test_only_both_scalings_keep_the_gradient_between_one_and_two():
    printed = numbers("unroll/with_tensorflow")

    bounded = {
        name
        for name in ("neither", "loss_only", "state_only", "both")
        if all(1 <= printed[f"{name}_{steps}"] < 2 for steps in (1, 5, 10, 50))
    }

    assert bounded == {"both"}


def test_valves_leave_the_value_and_control_one_of_two_paths():
    printed = numbers("start/with_tensorflow")
    x = 2.0
    direct, through_y = x**2, x * 2 * x

    assert printed["plain"] == printed["stopped"] == printed["halved"] == x**3
    assert printed["plain_gradient"] == direct + through_y
    assert printed["stopped_gradient"] == direct
    assert printed["halved_gradient"] == direct + through_y / 2
    assert through_y == 2 * direct


@pytest.mark.parametrize("framework", ["tensorflow", "torch"])
def test_scaling_halves_the_gradient_of_x_squared_at_three(framework):
    assert numbers(f"scale/with_{framework}") == {"value": 3.0**2, "gradient": 6.0 / 2}


def test_scaled_loss_keeps_its_value_and_multiplied_loss_does_not():
    printed = numbers("loss/with_tensorflow")

    assert printed["scaled_value"] == 9.0
    assert printed["multiplied_value"] == 9.0 / 4
    assert printed["scaled_gradient"] == printed["multiplied_gradient"] == 6.0 / 4


def test_hook_halves_once_more_what_the_operation_gives():
    printed = numbers("hook/with_torch")

    # d(h1 + h2 + h3) by hand, for h_k = w_k h_(k-1) with every w_k = 2 and h_0 = 1
    assert printed["unscaled_weights"] == [1 + 2 + 4, 2 + 4, 4]
    assert printed["unscaled_root"] == 2 + 4 + 8
    assert printed["operation_weights"] == [1 + 1 + 1, 2 + 2, 4]
    assert printed["operation_root"] == 2 + 2 + 2
    assert printed["hook_weights"] == [value / 2 for value in printed["operation_weights"]]
    assert printed["hook_root"] == printed["operation_root"] / 2


def test_one_liner_changes_values_and_turns_infinity_into_nan():
    printed = numbers("one_liner/with_tensorflow")

    assert 0 < printed["changed"] < 1000
    assert math.isnan(printed["infinity_reversed"])
