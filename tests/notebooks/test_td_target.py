"""What the page says about semi-gradient, residual gradient and target network."""

import ast

import jax
import numpy as np
import pytest
import scipy.optimize
import tensorflow as tf
import torch

TENTHS = [tenths / 10 for tenths in range(11)]
DISCOUNT, STEP, SHARE = 0.9, 0.1, 0.95
TWO_STATES = {  # features of the first state and of the second
    "w and 2w": np.array([[1.0], [2]]),
    "w and −2w": np.array([[1.0], [-2]]),
    "w and 2w + u": np.array([[1.0, 0], [2, 1]]),
}


def solved(transitions, rewards, updates, features, discount, scale):
    """M and b from matrix algebra alone, and their parts for the own and the copied weights.

    With a scale of 0 it is the semi-gradient, with 1 the residual gradient.
    """
    own, copied, b = 0, 0, 0
    for s, row in enumerate(transitions):
        for n, probability in enumerate(row):
            following = discount * (features[n] if n < len(features) else 0 * features[0])
            slope = updates[s] * probability * (features[s] - scale * following)
            own = own + np.outer(slope, features[s])
            copied = copied + np.outer(slope, following)
            b = b + slope * rewards[s]
    return own - copied, b, own, copied


def gamble(p, scale):
    ways = np.array([[0, p, 1 - p, 0], [0, 0, 0, 1], [0, 0, 0, 1]])
    return solved(ways, [0, 1, 0], [1, p, 1 - p], np.eye(3), 1, scale)


def loop(features, share, scale):
    ways = np.array([[0.0, 1], [0, 1]])
    return solved(ways, [0, 0], [share, 1 - share], features, DISCOUNT, scale)


def chain(length, scale):
    ways = np.eye(length, length + 1, k=1)
    return solved(ways, np.eye(length)[-1], np.ones(length), np.eye(length), 1, scale)


def factor(matrix):
    return max(abs(np.linalg.eigvals(matrix)))


def period_matrix(features, period):
    """What a period makes of the weights that it begins with, in closed form."""
    _, _, own, copied = loop(features, SHARE, 0)
    kept = np.linalg.matrix_power(np.eye(len(own)) - STEP * own, period)
    return kept + (np.eye(len(own)) - kept) @ np.linalg.solve(own, copied)


def test_at_the_true_values_only_the_unstopped_target_pulls(lines):
    drawn = lines("magnitudes")

    for p in TENTHS:
        matrix, b, *_ = gamble(p, scale=1)
        pull = np.linalg.norm(b - matrix @ [p, 1, 0])
        # 0 up to the rounding of a few sums of numbers below 1
        assert drawn["target stopped"][p] == pytest.approx(0, abs=1e-15)
        assert drawn["target not stopped"][p] == pytest.approx(pull, abs=1e-15)
        assert pull == pytest.approx(2**0.5 * p * (1 - p))


def test_without_the_stop_nothing_pulls_only_where_the_next_state_is_certain(lines):
    pulls = lines("magnitudes")["target not stopped"]

    assert [p for p in TENTHS if pulls[p] < 1e-15] == [0, 1]


def test_the_pull_by_hand_is_one_quarter_on_b_and_c_and_none_on_a(printed):
    error = 1 - 0.5

    assert float(printed["gradient_B"]) == float(printed["gradient_C"]) == 0.5 * error
    assert float(printed["gradient_A"]) == 0
    matrix, b, *_ = gamble(0.5, scale=1)
    assert (b - matrix @ [0.5, 1, 0]).tolist() == [0, -0.25, 0.25]  # B down, C up


@pytest.mark.parametrize(("name", "scale"), [("stopped", 0), ("not_stopped", 1)])
def test_fixed_points_and_symmetry_agree_with_matrix_algebra(printed, name, scale):
    matrix, b, *_ = gamble(0.5, scale)

    ends = ast.literal_eval(printed[f"{name}_ends_at"])
    assert ends == pytest.approx(np.linalg.solve(matrix, b))
    assert (printed[f"{name}_has_a_loss"] == "True") == np.array_equal(matrix, matrix.T)


def test_the_stopped_target_is_deliberate(printed):
    ways = np.array([[0, 0.5, 0.5], [0, 0, 0], [0, 0, 0]])
    true = np.linalg.solve(np.eye(3) - ways, [0, 1, 0])

    assert ast.literal_eval(printed["stopped_ends_at"]) == true.tolist() == [0.5, 1, 0]
    assert printed["stopped_changes_gradient"] == "True"
    assert printed["stopped_has_a_loss"] == "False"


def test_a_forgotten_state_makes_it_wrong(printed):
    # B is 1, C is half of A, and A their mean: A = (1 + A/2)/2
    expected = [2 / 3, 1, 1 / 3]

    ends = ast.literal_eval(printed["one_forgotten_ends_at"])
    assert ends == pytest.approx(expected, abs=1e-3)  # printed with three digits
    assert printed["one_forgotten_changes_gradient"] == "True"
    assert printed["one_forgotten_has_a_loss"] == "False"


def test_without_a_stop_it_is_another_method(printed):
    assert ast.literal_eval(printed["not_stopped_ends_at"]) == [0.5, 0.75, 0.25]
    assert printed["not_stopped_changes_gradient"] == "False"
    assert printed["not_stopped_has_a_loss"] == "True"


def test_the_stop_on_a_copy_is_exact(printed):
    assert printed["copy_changes_gradient"] == "False"


def test_both_gradients_end_at_the_true_values_of_a_chain():
    for scale in (0, 1):
        matrix, b, *_ = chain(16, scale)
        assert np.linalg.solve(matrix, b) == pytest.approx(np.ones(16))


def test_the_semi_gradient_takes_one_step_per_state(lines, printed):
    assert all(steps == length for length, steps in lines("lengths")["stopped"].items())
    assert printed["stopped, 64"] == "64"


def test_the_residual_gradient_takes_steps_as_the_square_of_the_length(lines, printed):
    steps = lines("lengths")["not stopped"]

    for length in (16, 32):
        assert steps[2 * length] / steps[length] == pytest.approx(4, rel=0.05)
    assert str(steps[64]) == printed["not stopped, 64"]
    # 1 - 2/(condition + 1) per step, and the slowest direction begins near 4/pi at the far end
    condition = np.linalg.cond(chain(64, scale=1)[0])
    expected = np.log(0.01 * np.pi / 4) / np.log(1 - 2 / (condition + 1))
    assert steps[64] == pytest.approx(expected, rel=0.01)


def test_the_condition_number_has_a_closed_form(printed):
    angle = np.pi / (2 * 64 + 1)  # of the second difference with one free end
    closed = np.cos(angle) ** 2 / np.sin(angle / 2) ** 2

    assert float(printed["condition_64"]) == pytest.approx(closed, rel=1e-3)
    measured = np.linalg.cond(chain(64, scale=1)[0])
    assert float(printed["condition_64"]) == pytest.approx(measured, abs=0.5)


def test_with_momentum_the_steps_double_with_the_length(lines):
    steps = lines("lengths")["not stopped, momentum"]

    for length in (16, 32):
        assert steps[2 * length] / steps[length] == pytest.approx(2, rel=0.05)
    assert steps[64] < lines("lengths")["not stopped"][64] / 50


@pytest.mark.parametrize(
    ("name", "scale"), [("target stopped", 0), ("scaled by ½", 0.5), ("not stopped", 1)]
)
def test_growth_over_the_share_agrees_with_matrix_algebra(lines, name, scale):
    for share, measured in lines("shares")[name].items():
        matrix, *_ = loop(TWO_STATES["w and 2w"], share, scale)
        assert measured == pytest.approx(1 - STEP * matrix[0, 0])


def test_the_update_of_each_state_is_as_worked_out_by_hand():
    first, *_ = loop(TWO_STATES["w and 2w"], 1, 0)
    second, *_ = loop(TWO_STATES["w and 2w"], 0, 0)

    assert -first[0, 0] == pytest.approx(1.8 - 1)
    assert -second[0, 0] == pytest.approx(-0.4)


def test_the_semi_gradient_grows_above_a_third_of_the_updates(lines):
    stopped = lines("shares")["target stopped"]

    assert {share for share in stopped if stopped[share] > 1} == {s for s in stopped if s > 1 / 3}
    assert loop(TWO_STATES["w and 2w"], 1 / 3, 0)[0] == pytest.approx(0, abs=1e-15)


def test_the_residual_gradient_never_grows_and_a_mixture_later(lines):
    drawn = lines("shares")

    assert max(drawn["not stopped"].values()) < 1
    mixed, stopped = drawn["scaled by ½"], drawn["target stopped"]
    assert max(mixed.values()) > 1
    assert min(s for s in mixed if mixed[s] > 1) > min(s for s in stopped if stopped[s] > 1)


def test_updated_as_visited_the_semi_gradient_converges():
    # An episode of 100 steps visits the first state once.
    assert factor(np.eye(1) - STEP * loop(TWO_STATES["w and 2w"], 1 / 100, 0)[0]) < 1


def test_baird_mixture_is_a_scaled_target():
    semi, residual, mixed = (loop(TWO_STATES["w and 2w"], 0.7, s)[0] for s in (0, 1, 0.3))

    assert mixed == pytest.approx(0.7 * semi + 0.3 * residual)


@pytest.mark.parametrize("name", TWO_STATES)
def test_growth_per_period_agrees_with_the_closed_form(lines, name):
    for period, measured in lines("periods")[name].items():
        assert measured == pytest.approx(factor(period_matrix(TWO_STATES[name], period)))


@pytest.mark.parametrize("name", TWO_STATES)
def test_the_first_period_is_the_stop_alone(lines, name):
    matrix, *_ = loop(TWO_STATES[name], SHARE, 0)

    alone = factor(np.eye(len(matrix)) - STEP * matrix)
    assert lines("periods")[name][1] == pytest.approx(alone)


@pytest.mark.parametrize("name", TWO_STATES)
def test_the_periods_that_converge_are_those_on_the_page(printed, name):
    stable = [n for n in range(1, 201) if factor(period_matrix(TWO_STATES[name], n)) < 1]

    assert ast.literal_eval(printed[f"{name}, converges"]) == [*stable[:1], *stable[-1:]]
    expected = {
        "w and 2w": [],
        "w and −2w": list(range(1, 16)),
        "w and 2w + u": list(range(129, 201)),
    }
    assert stable == expected[name]


def test_from_sixteen_on_each_period_overshoots_too_far(lines):
    rising = [factor for n, factor in lines("periods")["w and −2w"].items() if n >= 16]

    assert rising == sorted(rising)
    assert period_matrix(TWO_STATES["w and −2w"], 16)[0, 0] < -1  # the sign changes


@pytest.mark.parametrize("features", TWO_STATES.values(), ids=TWO_STATES)
@pytest.mark.parametrize("share", [0.05, 0.5, SHARE])
def test_the_residual_gradient_converges_in_all_three(features, share):
    matrix, *_ = loop(features, share, 1)

    assert np.array_equal(matrix, matrix.T)
    assert min(np.linalg.eigvalsh(matrix)) > 0


def test_with_the_step_one_the_period_multiplies_the_time(printed):
    assert int(printed["step 1, period 1"]) == 16
    for period in (10, 50):
        assert int(printed[f"step 1, period {period}"]) == 15 * period + 1  # the last needs one


def test_with_a_small_step_a_period_of_ten_costs_less_than_half_as_much_again(printed):
    alone, ten, fifty = (int(printed[f"step 0.1, period {n}"]) for n in (1, 10, 50))

    assert alone < ten < 1.5 * alone
    assert fifty > 3 * alone


def test_only_with_a_target_network_do_all_networks_settle_under_momentum(printed):
    settled = {
        name: int(printed[f"{name}, settled"])
        for name in ("not stopped", "stopped", "stopped, no momentum", "target network, N = 10")
    }

    # On other processors a few networks may behave otherwise: rounding grows where nothing settles.
    assert settled["stopped"] <= 10
    assert settled["not stopped"] == 0
    assert settled["stopped, no momentum"] == settled["target network, N = 10"] == 30


def test_the_lines_of_the_errors_show_it(lines):
    last = {name: line[2000] for name, line in lines("errors").items()}

    assert last["target network, N = 10"] is None  # below 0.0001, where the chart ends
    assert last["stopped, no momentum"] < 0.05
    assert last["not stopped"] > 0.2
    for name in ("not stopped", "stopped"):
        assert min(lines("errors")[name].values()) > 0.05


def test_the_target_network_learns_the_true_values(lines, printed):
    drawn = lines("decisions")
    true = {state: 0.9 ** (6 - state) for state in range(1, 6)}

    assert drawn["true value of going on"] == pytest.approx(true)
    assert drawn["target network, N = 10"] == pytest.approx(true, abs=1e-3)
    assert printed["target network, N = 10, go on in state 1"] == "30"


def residual_loss(values):
    """Expected loss of the small DQN for a table of ten values, in plain NumPy."""
    take, go_on = values[:5], values[5:]
    after = np.append(np.maximum(take, go_on)[1:], 1.0)
    return np.sum((0.5 - take) ** 2 + 0.9 * (after - go_on) ** 2 + 0.1 * go_on**2)


def test_without_the_stop_the_network_learns_the_minimum_of_the_loss(lines):
    starts = np.random.default_rng(0).normal(size=(10, 10))
    found = [scipy.optimize.minimize(residual_loss, start) for start in starts]
    best = min(found, key=lambda each: each.fun).x[5:]

    learned = list(lines("decisions")["not stopped"].values())
    # The maximum makes a kink at which the descent goes back and forth.
    assert learned == pytest.approx(best, abs=0.01)


def test_without_the_stop_every_network_takes_the_reward_in_state_one(lines, printed):
    drawn = lines("decisions")
    below = [state for state, value in drawn["not stopped"].items() if value < 0.49]

    assert printed["not stopped, go on in state 1"] == "0"
    assert below == [1, 2]
    assert all(value > 0.5 for value in drawn["true value of going on"].values())
    assert set(drawn["reward for taking"].values()) == {0.5}


def gradient_of_prediction(stop):
    """In each framework: (3w' - w)² for the copy w' = w = 2, differentiated by w alone."""
    w, copy = tf.Variable(2.0), tf.Variable(2.0)
    with tf.GradientTape() as tape:
        target = 3 * copy
        loss = ((tf.stop_gradient(target) if stop else target) - w) ** 2
    from_tensorflow = float(tape.gradient(loss, w))

    def jax_loss(w, copy):
        target = 3 * copy
        return ((jax.lax.stop_gradient(target) if stop else target) - w) ** 2

    return from_tensorflow, float(jax.grad(jax_loss)(2.0, 2.0))


def test_where_weights_are_named_a_copy_needs_no_stop():
    assert gradient_of_prediction(stop=True) == gradient_of_prediction(stop=False) == (-8, -8)


@pytest.mark.parametrize("guarded", [True, False])
def test_pytorch_fills_the_gradient_of_the_copy_unless_told_otherwise(guarded):
    w, copy = (torch.tensor(2.0, requires_grad=True) for _ in range(2))
    with torch.set_grad_enabled(not guarded):  # as torch.no_grad() does
        target = 3 * copy
    ((target - w) ** 2).backward()

    assert w.grad == -8
    assert (copy.grad is None) == guarded


@pytest.mark.parametrize("stop", [True, False])
def test_the_same_network_on_both_sides_needs_the_stop_everywhere(stop):
    w = tf.Variable(2.0)
    with tf.GradientTape() as tape:
        loss = ((tf.stop_gradient(3 * w) if stop else 3 * w) - w) ** 2
    in_jax = jax.grad(lambda w: ((jax.lax.stop_gradient(3 * w) if stop else 3 * w) - w) ** 2)
    in_torch = torch.tensor(2.0, requires_grad=True)
    (((3 * in_torch).detach() if stop else 3 * in_torch) - in_torch).square().backward()

    expected = 2 * (6 - 2) * (-1 if stop else 3 - 1)
    assert tape.gradient(loss, w) == in_jax(2.0) == in_torch.grad.item() == expected
