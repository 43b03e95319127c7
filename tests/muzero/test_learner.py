"""Learners: they learn, each by itself, and go on bit for bit where they were saved."""

from dataclasses import replace

import numpy as np
import pytest

from gradvalve.muzero.learner import Board, Learner, Member

TINY = Board(rows=4, columns=3, unroll_steps=2)
MEMBERS = [Member(1), Member(2, 1.0, False, "text", 0.0), Member(3, 0.0, placement="hook")]


def state(learner):
    weights = [weight.numpy() for weight in learner.network.get_weights()]
    return [*weights, *learner.games, learner.curve]


def assert_same(actual, expected):
    for a, e in zip(actual, expected, strict=True):
        np.testing.assert_array_equal(a, e)


def trained(members, iterations=3):
    learner = Learner(TINY, members)
    for _ in range(iterations):
        learner.iterate()
    return learner


def test_two_members_learn_to_catch_nearly_every_ball():
    learner = Learner(Board(), [Member(seed=0), Member(seed=2)])
    for _ in range(90):
        learner.iterate()

    assert learner.evaluate().min() >= 0.9


@pytest.mark.parametrize("others", [(0,), (0, 1), (2, 0), (2, 1)])
def test_a_member_does_the_same_whoever_learns_beside_it_up_to_rounding(others):
    together, fewer = trained(MEMBERS, 1), trained([MEMBERS[number] for number in others], 1)

    # The games of the first iteration come before any rounding of updates.
    assert_same([each[list(others)] for each in together.games], fewer.games)
    for a, b in zip(state(together), state(fewer), strict=True):
        np.testing.assert_allclose(a[list(others)], b, rtol=0, atol=1e-4)


def test_a_saved_run_goes_on_bit_for_bit(tmp_path):
    learner = trained(MEMBERS)
    learner.save(tmp_path / "run.npz")
    learner.iterate()
    other = Learner(TINY, MEMBERS)
    other.restore(tmp_path / "run.npz")

    assert other.curve.shape == (3, 3)
    other.iterate()

    assert_same(state(other), state(learner))
    assert_same(
        [each.numpy() for each in other.optimizer.variables],
        [each.numpy() for each in learner.optimizer.variables],
    )


def test_every_part_of_a_member_makes_a_difference():
    plain = state(trained([Member()], 2))
    for other in (
        Member(seed=1),
        Member(state_scale=1.0),
        Member(scale_losses=False),
        Member(placement="text"),
        Member(placement="hook"),
        Member(weight_decay=0.0),
    ):
        assert any((a != b).any() for a, b in zip(state(trained([other], 2)), plain, strict=True))


def test_measuring_does_not_change_what_is_learnt():
    learner, other = trained(MEMBERS, 1), trained(MEMBERS, 1)
    first, second = learner.evaluate(), learner.evaluate()
    learner.iterate()
    other.iterate()

    assert_same([first], [second])
    assert_same(state(learner), state(other))


def test_only_the_last_games_are_kept(monkeypatch):
    from gradvalve.muzero import learner as module

    monkeypatch.setattr(module, "CAPACITY", 32)
    learner = trained(MEMBERS, 2)
    second = [each[:, 16:].copy() for each in learner.games]
    learner.iterate()

    assert learner.games.reward.shape[1] == 32
    assert_same([each[:, 16:] for each in learner.games], second)


def test_an_unknown_placement_is_refused():
    with pytest.raises(ValueError, match="one of pseudocode, text, hook; not 'paper'"):
        Learner(TINY, [replace(MEMBERS[0], placement="paper")])
