"""What the page tutorial/unroll says beside its programs: each such sentence is a test."""

from pathlib import Path

import pytest

from gradvalve_site import snippets

ROOT = Path(__file__).parents[2]
STEPS = range(1, 6)


@pytest.fixture(scope="module")
def recorded():
    """A function that returns the recorded numbers of a topic by key."""

    def numbers(topic):
        text = (ROOT / f"docs/snippets/{topic}/with_tensorflow.txt").read_text(encoding="utf-8")
        return {key: float(value) for key, value in snippets.parse(text, topic).items()}

    return numbers


def derivative(factor=lambda k: k):
    """Of the sum of (k w - 2 k)^2 at w = 1, where the weight counts `factor(k)` times in step k."""
    return [2 * factor(k) * (k - 2 * k) for k in STEPS]


def halved(k):
    return sum(0.5**i for i in range(k))


def test_five_steps_make_the_gradient_55_times_as_large(recorded):
    bare = recorded("bare_loop")

    assert bare["first_gradient_1"] == derivative()[0] == -2
    assert bare["first_gradient_5"] == sum(derivative()) == -110
    assert bare["first_gradient_5"] / bare["first_gradient_1"] == 55


def test_each_scaling_has_the_gradient_of_its_closed_form(recorded):
    scaled = recorded("scaled_loop")

    assert scaled["first_gradient_loss_only"] == pytest.approx(sum(derivative()) / 5)
    assert scaled["first_gradient_state_only"] == pytest.approx(sum(derivative(halved)))
    assert scaled["first_gradient_both"] == pytest.approx(sum(derivative(halved)) / 5)


def test_with_this_rate_one_step_learns_and_five_diverge(recorded):
    bare = recorded("bare_loop")

    # Each update multiplies the distance to 2 by 1 + gradient / 20, as the gradient is linear.
    assert bare["weight_1"] == pytest.approx(2 - (1 - 2 / 20) ** 20, abs=0.005)
    assert bare["weight_5"] == pytest.approx(2 - (1 - 110 / 20) ** 20, rel=0.005)


def test_the_factor_on_the_losses_is_enough_here_and_one_half_alone_is_not(recorded):
    scaled = recorded("scaled_loop")

    assert scaled["weight_loss_only"] == scaled["weight_both"] == 2
    assert abs(scaled["weight_state_only"]) > 1000


def test_scalings_leave_the_first_loss_alone_and_change_the_later_ones(recorded):
    trained = recorded("update_weights")

    assert trained["scaled_first"] == trained["not_scaled_first"]
    assert trained["scaled_last"] != trained["not_scaled_last"]
    assert max(trained["scaled_last"], trained["not_scaled_last"]) < trained["scaled_first"] / 2
