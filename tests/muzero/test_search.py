"""The search in a game whose rules it is told: a walk on a line, with a reward at one place."""

import numpy as np

from gradvalve.muzero.search import search

GOAL = 3


def walk(states, actions):
    """Action 0 goes left, 1 right; reaching the goal gives 1, and only coming from elsewhere."""
    place = np.round(states[:, 0])
    there = place + 2 * actions - 1
    reward = ((there == GOAL) & (place != GOAL)).astype(float)
    return np.zeros(len(there)), reward, np.zeros((len(there), 2)), there[:, None]


def root(places):
    states = np.array(places, float)[:, None]
    return np.zeros(len(places)), np.zeros(len(places)), np.zeros((len(places), 2)), states


def test_it_finds_the_way_to_a_reward_some_steps_ahead():
    visits = search(root([1, 2, 4, 5]), walk, None, simulations=50, discount=0.9)

    assert visits.sum(axis=1).tolist() == [50] * 4
    assert (visits.argmax(axis=1) == [1, 1, 0, 0]).all()


def test_each_tree_is_searched_as_if_it_were_alone():
    together = search(root([0, 2, 5]), walk, None, 20, 0.9)
    alone = [search(root([place]), walk, None, 20, 0.9)[0] for place in (0, 2, 5)]

    np.testing.assert_array_equal(together, alone)


def test_without_rewards_the_visits_follow_the_prior():
    value, reward, _, states = root([100])
    logits = np.log([[0.2, 0.8]])

    def expand(states, actions):
        *_, there = walk(states, actions)
        return np.zeros(1), np.zeros(1), logits, there

    visits = search((value, reward, logits, states), expand, None, 100, 0.9)

    np.testing.assert_allclose(visits / 100, [[0.2, 0.8]], atol=0.02)


def test_noise_is_a_quarter_of_the_prior_at_the_root():
    value, reward, _, states = root([100])
    logits = np.array([[0.0, -50.0]])  # without noise the second action would never be tried

    visits = search(
        (value, reward, logits, states), walk, np.array([[0.0, 1.0]]), simulations=100, discount=0.9
    )

    np.testing.assert_allclose(visits / 100, [[0.75, 0.25]], atol=0.02)


def test_one_search_of_sixteen_counts_every_simulation_once():
    visits = search(root([0] * 7), walk, np.full((7, 2), 0.5), 16, 0.997)

    assert (visits.sum(axis=1) == 16).all()
