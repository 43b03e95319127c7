"""What is measured on games that stay the same, whatever the members play.

The error on a learner's own games says nothing: the better it plays, the easier they are to
predict.
"""

import numpy as np
import tensorflow as tf

from gradvalve.muzero.catch import ACTIONS, STAY, Catch
from gradvalve.muzero.games import Batch, Games, windows
from gradvalve.muzero.learner import DISCOUNT
from gradvalve.muzero.network import Network
from gradvalve.muzero.update import Scales, total_loss, unroll, update_weights


def fixed_games(board, count, seed=0):
    """Return games in which half of the actions are drawn at random and half lead to the ball.

    `value` is the best that can still be reached, and so known without error.
    """
    rng, record = np.random.default_rng(seed), []
    catch = Catch(board.rows, board.columns, rng.integers(board.columns, size=(1, count)))
    for step in range(board.steps):
        image = catch.image()
        best = np.sign(catch.ball - catch.paddle) + STAY
        policy = (np.eye(len(ACTIONS))[best] + 1 / len(ACTIONS)) / 2
        value = catch.best_return() * DISCOUNT ** (board.steps - 1 - step)
        action = np.where(rng.random(best.shape) < 0.5, rng.integers(3, size=best.shape), best)
        record.append((image, action, catch.step(action), policy, value))
    return Games(*(np.stack(each, axis=2) for each in zip(*record, strict=True)))


def repeated(arrays, members):
    """Return Games or a Batch of one member as those of several, without a copy."""
    return type(arrays)(*(np.broadcast_to(each, (members, *each.shape[1:])) for each in arrays))


def fixed_batch(games, unroll_steps, size, members, seed=0):
    """Return a batch of windows drawn from the games, the same one for each member."""
    rng = np.random.default_rng(seed)
    _, count, steps = games.action.shape
    game, start = rng.integers(count, size=(1, size)), rng.integers(steps, size=(1, size))
    actions = rng.integers(len(ACTIONS), size=(1, size, unroll_steps + 1))
    batch = windows(games, game, start, unroll_steps, actions)
    return Batch(*map(tf.constant, repeated(batch, members)))


@tf.function(autograph=False)
def gradient_norms(network, batch, scales):
    """Return how large the gradient of the loss is, by place, arrays [members, ...].

    "representation", "dynamics" and "prediction" are all weights of a function together;
    "hidden_state" holds the K + 1 hidden states, the root mean square over the batch.
    """
    with tf.GradientTape(persistent=True) as tape:
        predictions = unroll(network, batch, scales)
        loss = tf.reduce_mean(total_loss(predictions, batch), axis=1)
    norms = {name: _norm(tape.gradient(loss, each)) for name, each in network.weights.items()}
    states = [prediction.hidden_state for _, prediction in predictions]
    first, *rest = tape.gradient(loss, states)
    # What reaches the dynamics function comes through the hook.
    arriving = [first, *(scales.hook * each for each in rest)]
    size = tf.sqrt(tf.cast(batch.image.shape[1], first.dtype))  # the loss is a mean over the batch
    return norms | {"hidden_state": tf.stack([size * _norm([each]) for each in arriving], axis=1)}


def model_errors(network, games, horizons):
    """Return mean squared errors `horizons` steps ahead, by kind, arrays [members, horizons].

    "reward" is that of the step, "last_reward" the same where the step ends the game; "value" is
    compared with the best that can be reached. Against them stand trivial predictions:
    "…_of_mean" is the error of the mean of what is to be predicted, "reward_of_zero" that of no
    reward, "value_unchanged" that of the value that the network predicts at the start.
    """
    value, reward, batch, left = _from_every_step(network, games, max(horizons))
    kinds = {
        "reward": (reward, batch.reward, np.greater_equal),
        "reward_of_zero": (np.zeros_like(reward), batch.reward, np.greater_equal),
        "reward_of_mean": (None, batch.reward, np.greater_equal),
        "last_reward": (reward, batch.reward, np.equal),
        "last_reward_of_mean": (None, batch.reward, np.equal),
        "value": (value, batch.value, np.greater),
        "value_unchanged": (np.broadcast_to(value[..., :1], value.shape), batch.value, np.greater),
        "value_of_mean": (None, batch.value, np.greater),
    }

    def error(k, predicted, true, compare):
        true = true[:, compare(left, k), k]
        predicted = true.mean() if predicted is None else predicted[:, compare(left, k), k]
        return np.broadcast_to(((predicted - true) ** 2).mean(axis=1), len(value))

    return {
        kind: np.stack([error(k, *arrays) for k in horizons], axis=1)
        for kind, arrays in kinds.items()
    }


def highest_stable_rate(rates, seeds, games, unroll_steps, scales, steps):
    """Return the highest learning rate of plain gradient descent that is stable, for each seed.

    Stable means that the loss of each of the last quarter of the steps is below that of the first,
    at this rate and all lower ones; 0 if none is.

    Args:
        rates: learning rates in rising order.
        scales: a function of the number of members that returns their Scales.
        steps: how many steps are taken, all on the same batch.
    """
    members = [(seed, rate) for seed in seeds for rate in rates]
    pixels = games.image.shape[-1]
    network = Network(pixels, len(ACTIONS), [seed for seed, _ in members])
    optimizer = _GradientDescent([rate for _, rate in members])
    batch = fixed_batch(games, unroll_steps, 64, len(members))
    decay = tf.zeros(len(members))
    arguments = optimizer, network, batch, decay, scales(len(members))
    losses = np.array([update_weights(*arguments).numpy() for _ in range(steps)])
    stable = (losses[-steps // 4 :] < losses[0]).all(axis=0).reshape(len(seeds), len(rates))
    count = np.logical_and.accumulate(stable, axis=1).sum(axis=1)
    return np.insert(rates, 0, 0.0)[count]


class _GradientDescent:
    """Plain gradient descent with a learning rate for each member."""

    def __init__(self, rates):
        self.rates = tf.constant(rates, tf.float32)[:, None, None]

    def apply_gradients(self, pairs):
        for gradient, weight in pairs:
            weight.assign_sub(self.rates * gradient)


def _norm(tensors):
    return tf.sqrt(sum(tf.reduce_sum(each**2, axis=(1, 2)) for each in tensors))


def _from_every_step(network, games, unroll_steps):
    """Unroll from each step of each game, a window.

    Returns predicted values and rewards, [members, windows, K + 1], the batch of one member, and
    how many steps of the game are left, [windows].
    """
    _, count, steps = games.action.shape
    game, start = (each.reshape(1, -1) for each in np.indices((count, steps)))
    anything = np.zeros((*game.shape, unroll_steps + 1), int)  # beyond the end nothing is measured
    batch = windows(games, game, start, unroll_steps, anything)
    members = network.get_weights()[0].shape[0]
    predictions = unroll(network, repeated(batch, members), Scales(1.0, 1.0, 1.0, 1.0))
    value = np.stack([prediction.value for _, prediction in predictions], axis=-1)
    reward = np.stack([prediction.reward for _, prediction in predictions], axis=-1)
    return value, reward, batch, steps - start[0]
