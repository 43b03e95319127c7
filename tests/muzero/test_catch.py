"""The game, step by step and in bulk; what is done with finished games."""

import numpy as np
import pytest

from gradvalve.muzero.catch import LEFT, RIGHT, STAY, Catch
from gradvalve.muzero.games import Games, returns, windows


def drawn(catch):
    image = catch.image().reshape(catch.rows, catch.columns)
    return ["".join(".#"[pixel] for pixel in row) for row in image.astype(int)]


def test_a_game_looks_as_it_should():
    catch = Catch(3, 5, np.array(0))

    assert drawn(catch) == ["#....", ".....", "..#.."]
    assert catch.step(LEFT) == 0
    assert drawn(catch) == [".....", "#....", ".#..."]
    assert catch.step(LEFT) == 1
    assert drawn(catch) == [".....", ".....", "#...."]


@pytest.mark.parametrize(("action", "reward"), [(LEFT, -1), (STAY, -1), (RIGHT, 1)])
def test_only_a_paddle_below_the_ball_catches_it(action, reward):
    catch = Catch(2, 3, np.array(2))

    assert catch.step(action) == reward


def test_the_paddle_stays_on_the_board():
    catch = Catch(6, 3, np.array([0, 2]))
    for _ in range(5):
        catch.step([LEFT, RIGHT])

    assert catch.paddle.tolist() == [0, 2]


def test_the_best_return_is_what_a_player_who_follows_the_ball_gets():
    rng = np.random.default_rng(0)
    catch = Catch(6, 9, rng.integers(9, size=500))
    for _ in range(2):
        catch.step(rng.integers(3, size=500))
    best = catch.best_return()
    for _ in range(3):
        reward = catch.step(np.sign(catch.ball - catch.paddle) + STAY)

    assert set(best) == {-1, 1}
    np.testing.assert_array_equal(reward, best)


@pytest.mark.parametrize(
    ("arguments", "complaint"),
    [
        ((1, 5, [0]), "2 rows and 1 column or more, not 1 and 5"),
        ((3, 5, [5]), "ball must hold integers from 0 to 4, but holds 5 to 5"),
        ((3, 5, [0.5]), "ball must hold integers, but its dtype is float64"),
    ],
)
def test_an_impossible_game_is_refused(arguments, complaint):
    with pytest.raises(ValueError, match=complaint):
        Catch(*arguments)


@pytest.mark.parametrize(
    ("action", "complaint"),
    [
        ([0], r"action has shape \(1,\), but the games \(2,\)"),
        ([0, 3], "action must hold integers from 0 to 2, but holds 0 to 3"),
        ([0.0, 1.0], "action must hold integers, but its dtype is float64"),
    ],
)
def test_an_impossible_action_is_refused(action, complaint):
    with pytest.raises(ValueError, match=complaint):
        Catch(3, 5, [0, 1]).step(action)


def test_a_finished_game_takes_no_step():
    catch = Catch(2, 3, [0])
    catch.step([STAY])

    with pytest.raises(RuntimeError, match="over"):
        catch.step([STAY])


def test_returns_are_discounted_sums():
    assert returns([[1.0, 0.0, -2.0]], 0.5).tolist() == [[0.5, -1.0, -2.0]]


@pytest.fixture
def games():
    """Two members' games of three steps, in which every number tells where it comes from."""
    numbers = np.arange(2 * 4 * 3).reshape(2, 4, 3)
    policy = np.stack([numbers, numbers + 0.5], axis=-1)
    return Games(policy > 5, numbers % 3, numbers + 100, policy, numbers + 200)


def test_a_window_holds_what_follows_its_start(games):
    batch = windows(games, np.array([[0], [3]]), np.array([[0], [1]]), 1, np.zeros((2, 1, 2)))

    assert batch.actions.tolist() == [[[0]], [[1]]]
    assert batch.value.tolist() == [[[200, 201]], [[222, 223]]]
    assert batch.reward.tolist() == [[[0, 100]], [[0, 122]]]
    assert batch.policy.tolist() == [[[[0, 0.5], [1, 1.5]]], [[[22, 22.5], [23, 23.5]]]]
    assert batch.image.tolist() == [[[0, 0]], [[1, 1]]]


def test_beyond_the_end_nothing_is_to_be_predicted_and_the_actions_are_others(games):
    others = np.full((2, 1, 4), 7)
    batch = windows(games, np.array([[1], [0]]), np.array([[2], [1]]), 3, others)

    assert batch.actions.tolist() == [[[2, 7, 7]], [[1, 2, 7]]]
    assert batch.reward.tolist() == [[[0, 105, 0, 0]], [[0, 113, 114, 0]]]
    assert batch.value.tolist() == [[[205, 0, 0, 0]], [[213, 214, 0, 0]]]
    assert (batch.policy.sum(axis=-1) == 0).tolist() == [[[0, 1, 1, 1]], [[0, 0, 1, 1]]]
