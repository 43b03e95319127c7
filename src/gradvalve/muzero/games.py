"""Finished games, and the batches that the update learns from."""

from typing import NamedTuple

import numpy as np

from gradvalve.muzero.catch import check_integers


class Games(NamedTuple):
    """Games of T steps, arrays [members, games, T, ...]."""

    image: np.ndarray  # bool [..., pixels], before the step
    action: np.ndarray  # int
    reward: np.ndarray  # of the step
    policy: np.ndarray  # [..., actions], what the action should be drawn from
    value: np.ndarray  # discounted sum of the rewards from the step on


class Batch(NamedTuple):
    """Where an update starts from and what it predicts, arrays [members, batch, ...]."""

    image: np.ndarray  # [..., pixels]
    actions: np.ndarray  # integers [..., K]
    value: np.ndarray  # [..., K + 1]
    reward: np.ndarray  # [..., K + 1], of the step before; 0 at the start
    policy: np.ndarray  # [..., K + 1, actions], all zeros after the end of the game


def returns(reward, discount):
    """Return the discounted sum of the rewards from each step on; the last axis is time."""
    value = np.array(reward, float)
    for step in reversed(range(value.shape[-1] - 1)):
        value[..., step] += discount * value[..., step + 1]
    return value


def windows(games, game, start, unroll_steps, others):
    """Return the Batch of what begins at step `start` of `game`, integer arrays [members, batch].

    Beyond the end of a game value and reward are 0, the policy is all zeros and the actions are
    those of `others`, integers [members, batch, K].
    """
    steps = start[..., None] + np.arange(unroll_steps + 1)
    over = steps >= games.action.shape[2]
    member = np.arange(len(game))[:, None, None]
    index = member, game[..., None], np.where(over, 0, steps)
    reward = np.where(over, 0, games.reward[index])
    return Batch(
        games.image[member[..., 0], game, start].astype(np.float32),
        np.where(over, others, games.action[index])[..., :-1].astype(np.int32),
        np.where(over, 0, games.value[index]).astype(np.float32),
        np.insert(reward[..., :-1], 0, 0, axis=-1).astype(np.float32),
        np.where(over[..., None], 0, games.policy[index]).astype(np.float32),
    )


def checked(batch, network):
    """Return the batch, or raise a ValueError that says what doesn't fit the network."""
    members, pixels, _ = network.weights["representation"][0].shape
    if np.ndim(batch.actions) != 3 or np.shape(batch.actions)[2] == 0:
        raise ValueError(
            "actions must have the shape (members, batch, K) with K of 1 or more, "
            f"but have {np.shape(batch.actions)}"
        )
    _, size, steps = np.shape(batch.actions)
    tails = (pixels,), (steps,), (steps + 1,), (steps + 1,), (steps + 1, network.actions)
    for name, array, tail in zip(Batch._fields, map(np.asarray, batch), tails, strict=True):
        if array.shape != (members, size, *tail):
            raise ValueError(
                f"{name} must have the shape {(members, size, *tail)}, but has {array.shape}; "
                f"the network has {members} members, the actions a batch of {size} and K = {steps}"
            )
        if not np.isfinite(array).all():
            raise ValueError(f"{name} must hold finite numbers, but holds inf or nan")
    check_integers("actions", np.asarray(batch.actions), network.actions)
    _check_policy(np.asarray(batch.policy))
    return batch


def _check_policy(policy):
    total = policy.sum(axis=-1)
    wrong = (policy < 0).any(axis=-1) | ~(np.isclose(total, 1) | (total == 0))
    if wrong.any():
        raise ValueError(
            "policy must hold probabilities that add up to 1, or zeros after the end of a game, "
            f"but holds {policy[wrong][0].tolist()}"
        )
