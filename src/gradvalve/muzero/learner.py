"""Plays Catch against nobody, and learns from it: several members side by side.

Members share the sizes below and nothing else. Each has its own weights, games and random numbers,
so that its results don't depend on who learns beside it, up to rounding: TensorFlow may add up in
another order if there are more members, or others before this one. In a long run this shows, as
it does on another processor.
"""

import json
from dataclasses import dataclass

import numpy as np
import tensorflow as tf

from gradvalve.muzero.catch import ACTIONS, Catch
from gradvalve.muzero.games import Batch, Games, checked, returns, windows
from gradvalve.muzero.network import Network
from gradvalve.muzero.search import search
from gradvalve.muzero.update import make_scales, update_weights

DISCOUNT = 0.997
SIMULATIONS = 16
EPISODES = 16  # in each iteration
UPDATES = 20  # after them
BATCH = 64
CAPACITY = 256  # games that are kept
LEARNING_RATE = 3e-3
EVALUATED = 200  # games of an evaluation


@dataclass(frozen=True)
class Board:
    """What members that learn side by side have in common."""

    rows: int = 10
    columns: int = 5
    unroll_steps: int = 5

    @property
    def steps(self):
        return self.rows - 1


@dataclass(frozen=True)
class Member:
    """One run: which scalings it has, where, and what its random numbers begin with."""

    seed: int = 0
    state_scale: float = 0.5
    scale_losses: bool = True  # by 1/K
    placement: str = "pseudocode"
    weight_decay: float = 1e-4


def scales_of(members, unroll_steps, dtype="float32"):
    return make_scales(
        [member.state_scale for member in members],
        [1 / unroll_steps if member.scale_losses else 1.0 for member in members],
        [member.placement for member in members],
        dtype,
    )


class Learner:
    """Trains a list of members; `curve` holds the mean return of each iteration's games."""

    def __init__(self, board, members):
        seeds = [member.seed for member in members]
        self.board, self.seeds = board, seeds
        self.network = Network(board.rows * board.columns, len(ACTIONS), seeds)
        self.scales = scales_of(members, board.unroll_steps)
        self.weight_decay = tf.constant([member.weight_decay for member in members])
        self.optimizer = tf.keras.optimizers.Adam(LEARNING_RATE)
        self.optimizer.build(self.network.get_weights())
        self.generators = [np.random.default_rng([seed, 1]) for seed in seeds]
        self.games = _empty_games(board, len(members))
        self.curve = np.empty((len(members), 0))
        # Compiled once; the pseudocode's update calls the plain ones.
        self._initial = tf.function(self.network.initial_inference, autograph=False)
        self._recurrent = tf.function(self.network.recurrent_inference, autograph=False)

    def iterate(self):
        """Play games, keep them, and learn from all that are kept; return the mean losses."""
        games = self.play(EPISODES, self.generators)
        first = EPISODES * self.curve.shape[1] % CAPACITY
        for kept, new in zip(self.games, games, strict=True):
            kept[:, first : first + EPISODES] = new
        self.curve = np.append(self.curve, _mean_return(games)[:, None], axis=1)
        kept = min(CAPACITY, EPISODES * self.curve.shape[1])
        games = Games(*(each[:, :kept] for each in self.games))
        return np.mean([self.update(games) for _ in range(UPDATES)], axis=0)

    def update(self, games):
        """Take one step of the optimizer on windows drawn from the games; return the losses."""
        _, kept, steps = games.action.shape
        shape = BATCH, self.board.unroll_steps + 1
        game = _drawn(self.generators, lambda rng: rng.integers(kept, size=BATCH))
        start = _drawn(self.generators, lambda rng: rng.integers(steps, size=BATCH))
        others = _drawn(self.generators, lambda rng: rng.integers(len(ACTIONS), size=shape))
        batch = windows(games, game, start, self.board.unroll_steps, others)
        batch = Batch(*map(tf.constant, checked(batch, self.network)))
        loss = update_weights(self.optimizer, self.network, batch, self.weight_decay, self.scales)
        return loss.numpy()

    def evaluate(self):
        """Return the mean return of greedy games, the same ones at each call."""
        generators = [np.random.default_rng([seed, 2]) for seed in self.seeds]
        return _mean_return(self.play(EVALUATED, generators, greedy=True))

    def play(self, episodes, generators, greedy=False):
        """Play games side by side; greedy games take the action that the search visited most."""
        board, record = self.board, []
        shape = board.steps, episodes
        balls = _drawn(generators, lambda rng: rng.integers(board.columns, size=episodes))
        noise = _drawn(generators, lambda rng: rng.dirichlet(np.ones(len(ACTIONS)), shape))
        chance = _drawn(generators, lambda rng: rng.random(shape))
        catch = Catch(board.rows, board.columns, balls)
        for step in range(board.steps):
            image = catch.image()
            visits = self._search(image, None if greedy else noise[:, step])
            policy = visits / SIMULATIONS
            drawn = np.sum(np.cumsum(visits, axis=-1) <= chance[:, step, :, None] * SIMULATIONS, -1)
            action = np.argmax(visits, axis=-1) if greedy else drawn
            record.append((image, action, catch.step(action), policy))
        *most, reward, policy = (np.stack(each, axis=2) for each in zip(*record, strict=True))
        return Games(*most, reward, policy, returns(reward, DISCOUNT))

    def save(self, path):
        """Write all that the next iteration depends on to a file."""
        states = [generator.bit_generator.state for generator in self.generators]
        variables = [variable.numpy() for variable in self._variables()]
        np.savez(path, *variables, *self.games, curve=self.curve, generators=json.dumps(states))

    def restore(self, path):
        """Go on from where a learner of the same board and members was saved."""
        with np.load(path) as saved:
            arrays = [saved[f"arr_{number}"] for number in range(len(saved.files) - 2)]
            self.curve = saved["curve"]
            states = json.loads(saved["generators"].item())
        *variables, image, action, reward, policy, value = arrays
        self.games = Games(image, action, reward, policy, value)
        for variable, array in zip(self._variables(), variables, strict=True):
            variable.assign(array)
        for generator, state in zip(self.generators, states, strict=True):
            generator.bit_generator.state = state

    def _variables(self):
        return [*self.network.get_weights(), *self.optimizer.variables]

    def _search(self, image, noise):
        members, episodes, _ = image.shape
        trees = members * episodes

        def flat(output):
            return [array.numpy().reshape(trees, *array.shape[2:]) for array in output]

        def expand(states, actions):
            states = tf.constant(states.reshape(members, episodes, -1))
            actions = tf.constant(actions.reshape(members, episodes))
            return flat(self._recurrent(states, actions))

        root = flat(self._initial(tf.constant(image, tf.float32)))
        noise = None if noise is None else noise.reshape(trees, -1)
        return search(root, expand, noise, SIMULATIONS, DISCOUNT).reshape(members, episodes, -1)


def _drawn(generators, draw):
    return np.stack([draw(generator) for generator in generators])


def _mean_return(games):
    return games.reward.sum(axis=2).mean(axis=1)


def _empty_games(board, members):
    shape = members, CAPACITY, board.steps
    return Games(
        np.zeros((*shape, board.rows * board.columns), bool),
        np.zeros(shape, np.int8),
        np.zeros(shape, np.float32),
        np.zeros((*shape, len(ACTIONS)), np.float32),
        np.zeros(shape, np.float32),
    )
