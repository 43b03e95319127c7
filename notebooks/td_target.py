# %% setup
import functools
import math
import sys
from typing import NamedTuple

import numpy as np
import tensorflow as tf
from tqdm import tqdm

from gradvalve import measure
from gradvalve.tensorflow import scale_gradient, stop_gradient


# %% loss
class Problem(NamedTuple):
    transitions: np.ndarray  # probabilities [states, states + 1]; last, the end
    rewards: np.ndarray  # [states]
    updates: np.ndarray  # [states]: how often each of them is updated
    features: np.ndarray  # [states, weights]: values = features @ weights
    discount: float = 1.0


def td_loss(problem, weights, target, old=None):
    """Expected loss, summed over the columns of weights: independent runs."""
    values = problem.features @ weights
    future = target(values if old is None else problem.features @ old)
    future = tf.pad(future, [[0, 1], [0, 0]])  # after the end comes nothing
    error = problem.rewards[:, None, None] - values[:, None]
    error += problem.discount * future
    share = problem.updates[:, None] * problem.transitions
    return tf.einsum("sn,snc->", share, error**2) / 2  # ½: no 2 in the gradient


def not_stopped(values):
    return values


# %% magnitudes
def chance(p):
    """A leads to B with probability p, else to C. B pays 1, C nothing."""
    return Problem(
        transitions=np.array([[0, p, 1 - p, 0], [0, 0, 0, 1], [0, 0, 0, 1]]),
        rewards=np.array([0.0, 1.0, 0.0]),
        updates=np.array([1, p, 1 - p]),  # as often as visited
        features=np.eye(3),
    )


def norms_at_true_values(p, target):
    def loss(weights):
        column = tf.stack(list(weights.values()))[:, None]
        return td_loss(chance(p), column, target)

    true = {"A": p, "B": 1.0, "C": 0.0}
    weights = {state: tf.constant(v, tf.float64) for state, v in true.items()}
    return measure.gradient_norms(loss, weights)


TENTHS = [tenths / 10 for tenths in range(11)]
for state, norm in norms_at_true_values(0.5, not_stopped).items():
    print(f"gradient_{state}: {norm}")
measure.line_figure(
    {
        name: {
            p: math.hypot(*norms_at_true_values(p, target).values())
            for p in TENTHS
        }
        for name, target in [
            ("target stopped", stop_gradient),
            ("target not stopped", not_stopped),
        ]
    },
    "probability p of B after A",
    "gradient at the true values",
)


# %% matrices
def direction(problem, weights, target, old=None):
    """Minus the gradient: a step goes this way."""
    weights = tf.constant(weights)
    with tf.GradientTape() as tape:
        tape.watch(weights)
        loss = td_loss(problem, weights, target, old)
    return -tape.gradient(loss, weights).numpy()


def matrices(problem, target):
    """The matrix and b, where the direction is b - matrix @ weights."""
    unit = np.eye(problem.features.shape[1])
    b = direction(problem, 0 * unit, target)
    return b - direction(problem, unit, target), b[:, 0]


# %% verdicts
def one_forgotten(values):
    return tf.concat([stop_gradient(values[:2]), values[2:]], 0)  # C is not


problem = chance(0.5)
without, _ = matrices(problem, not_stopped)
for name, target in [
    ("stopped", stop_gradient),
    ("one_forgotten", one_forgotten),
    ("not_stopped", not_stopped),
]:
    matrix, b = matrices(problem, target)
    print(f"{name}_ends_at: {np.linalg.solve(matrix, b).round(3).tolist()}")
    print(f"{name}_changes_gradient: {not np.allclose(matrix, without)}")
    print(f"{name}_has_a_loss: {np.allclose(matrix, matrix.T)}")
weights, copy = np.random.default_rng(0).normal(size=(2, 3, 1))
with_stop, without_stop = (
    direction(problem, weights, target, old=copy)
    for target in (stop_gradient, not_stopped)
)
print(f"copy_changes_gradient: {not np.array_equal(with_stop, without_stop)}")


# %% lengths
def chain(length):
    """Each state leads to the next; the last one pays 1 and ends."""
    return Problem(
        transitions=np.eye(length, length + 1, k=1),
        rewards=np.eye(length)[-1],
        updates=np.ones(length),
        features=np.eye(length),
    )


def steps_needed(matrix, b, step, momentum=0.0):
    """How many steps lead from 0 to the values, all 1, up to 1 percent."""
    weights = velocity = np.zeros_like(b)
    count = 0
    while max(abs(weights - 1)) > 0.01:
        velocity = momentum * velocity + step * (b - matrix @ weights)
        weights = weights + velocity
        count += 1
    return count


steps = {"stopped": {}, "not stopped": {}, "not stopped, momentum": {}}
for length in (1, 2, 4, 8, 16, 32, 64):
    matrix, b = matrices(chain(length), stop_gradient)
    steps["stopped"][length] = steps_needed(matrix, b, step=1)
    matrix, b = matrices(chain(length), not_stopped)
    small, large = np.linalg.eigvalsh(matrix)[[0, -1]]
    best = 2 / (small + large)  # of the constant steps, in the worst case
    steps["not stopped"][length] = steps_needed(matrix, b, best)
    root, total = math.sqrt(large / small), math.sqrt(large) + math.sqrt(small)
    steps["not stopped, momentum"][length] = steps_needed(
        matrix, b, step=4 / total**2, momentum=((root - 1) / (root + 1)) ** 2
    )
print(f"condition_64: {large / small:.0f}")
for name, counts in steps.items():
    print(f"{name}, 32: {counts[32]}")
    print(f"{name}, 64: {counts[64]}")
measure.line_figure(steps, "states", "steps to 1 percent", logarithmic=True)

# %% shares
STEP = 0.1


def loop(share, *features):
    """The first state leads to the second, which leads to itself. No reward."""
    return Problem(
        transitions=np.array([[0.0, 1, 0], [0, 1, 0]]),
        rewards=np.zeros(2),
        updates=np.array([share, 1 - share]),
        features=np.array(features, float),
        discount=0.9,
    )


def largest_factor(matrix):
    return max(abs(np.linalg.eigvals(matrix)))


def growth(share, scale):
    target = functools.partial(scale_gradient, scale=scale)
    matrix, _ = matrices(loop(share, [1], [2]), target)
    return largest_factor(np.eye(len(matrix)) - STEP * matrix)


measure.line_figure(
    {
        name: {
            percent / 100: growth(percent / 100, scale)
            for percent in range(0, 101, 5)
        }
        for name, scale in [
            ("target stopped", 0),
            ("scaled by ½", 0.5),
            ("not stopped", 1),
        ]
    },
    "share of updates for the first state",
    "factor of the weight per step",
)

# %% periods
SHARE, LONGEST = 0.95, 200


def copy_matrices(problem):
    """Three parts: the direction is own @ weights + copied @ old + b."""
    unit = np.eye(problem.features.shape[1])
    b = direction(problem, 0 * unit, stop_gradient, old=0 * unit)
    own = direction(problem, unit, stop_gradient, old=0 * unit) - b
    copied = direction(problem, 0 * unit, stop_gradient, old=unit) - b
    return own, copied, b[:, 0]


def growths(problem):
    """Largest factor that a period changes the weights by, for each period."""
    own, copied, _ = copy_matrices(problem)
    weights, factors = np.eye(len(own)), {}
    for period in range(1, LONGEST + 1):
        weights = weights + STEP * (own @ weights + copied)
        factors[period] = largest_factor(weights)
    return factors


factors = {
    "w and 2w": growths(loop(SHARE, [1], [2])),
    "w and −2w": growths(loop(SHARE, [1], [-2])),
    "w and 2w + u": growths(loop(SHARE, [1, 0], [2, 1])),
}
for name, line in factors.items():
    stable = [period for period, factor in line.items() if factor < 1]
    print(f"{name}, converges: {[*stable[:1], *stable[-1:]]}")
SHOWN = [*range(1, 20), *range(20, LONGEST + 1, 10)]
measure.line_figure(
    {name: {N: line[N] for N in SHOWN} for name, line in factors.items()},
    "period N of the target network",
    "largest factor per period",
)


# %% delay
def steps_with_copy(problem, step, period):
    own, copied, b = copy_matrices(problem)
    weights, count = np.zeros_like(b), 0
    while max(abs(weights - 1)) > 0.01:
        if count % period == 0:
            old = weights
        weights = weights + step * (own @ weights + copied @ old + b)
        count += 1
    return count


for step in (1, STEP):
    for period in (1, 10, 50):
        count = steps_with_copy(chain(16), step, period)
        print(f"step {step}, period {period}: {count}")

# %% dqn
NETWORKS, STATES, UNITS = 30, 5, 32
SURE, RISK = 0.5, 0.1  # a reward at once; or on, at the risk of ending with 0
POSITIONS = np.stack([np.linspace(-1, 1, STATES), np.ones(STATES)], axis=1)


def new_networks():
    random = np.random.default_rng(0)
    inner = random.normal(size=(NETWORKS, 2, UNITS)) * 2
    outer = random.normal(size=(NETWORKS, UNITS, 2)) / math.sqrt(UNITS)
    return inner, outer, np.zeros((NETWORKS, 1, 2))


def action_values(inner, outer, bias):
    """[networks, states, actions]: take the reward, or go on."""
    return tf.tanh(POSITIONS @ inner) @ outer + bias


def dqn_loss(values, old_values, target=stop_gradient):
    best = target(tf.reduce_max(old_values, axis=2))
    after = tf.pad(best[:, 1:], [[0, 0], [0, 1]], constant_values=1)
    take, go_on = tf.unstack(values, axis=2)
    losses = (SURE - take) ** 2
    losses += (1 - RISK) * (after - go_on) ** 2 + RISK * (0 - go_on) ** 2
    return tf.reduce_sum(losses) / 2  # the networks share no weights


# %% training
TRUE = (1 - RISK) ** np.arange(STATES, 0, -1)  # of going on to the end


def train(target=stop_gradient, period=1, momentum=0.9, steps=2000):
    """Errors [steps, networks] and the values that were learned."""
    weights = [tf.Variable(each) for each in new_networks()]
    copy = [tf.Variable(each) for each in weights]
    velocity = [tf.Variable(tf.zeros_like(each)) for each in weights]

    @tf.function
    def run():
        errors = tf.TensorArray(tf.float64, steps)
        for step in tf.range(steps):
            if step % period == 0:
                for old, new in zip(copy, weights, strict=True):
                    old.assign(new)
            with tf.GradientTape() as tape:
                values = action_values(*weights)
                old_values = action_values(*copy) if period > 1 else values
                loss = dqn_loss(values, old_values, target)
            gradients = tape.gradient(loss, weights)
            for w, v, g in zip(weights, velocity, gradients, strict=True):
                v.assign(momentum * v - 0.005 * g)
                w.assign_add(v)
            error = tf.reduce_max(tf.abs(values[:, :, 1] - TRUE), axis=1)
            errors = errors.write(step, error)
        return errors.stack()

    return run().numpy(), action_values(*weights).numpy()


# %% errors
RUNS = {
    "not stopped": {"target": not_stopped},
    "stopped": {},
    "stopped, no momentum": {"momentum": 0.0},
    "target network, N = 10": {"period": 10},
}
learned, settled, lines = {}, {}, {}
for name in tqdm(RUNS, file=sys.stdout, leave=False):
    errors, learned[name] = train(**RUNS[name])
    windows = errors.reshape(-1, 50, NETWORKS).max(axis=1)
    lines[name] = {
        50 * (i + 1): error if error > 1e-4 else None  # the chart ends there
        for i, error in enumerate(np.median(windows, axis=1).tolist())
    }
    settled[name] = int(np.sum(errors[-500:].max(axis=0) < 0.05))
for name, count in settled.items():
    print(f"{name}, settled: {count}")
measure.line_figure(lines, "step", "largest error", logarithmic=True)

# %% decisions
drawn = {"true value of going on": dict(enumerate(TRUE.tolist(), 1))}
for name in ("target network, N = 10", "not stopped"):
    going_on = np.median(learned[name][:, :, 1], axis=0)
    right = np.sum(learned[name].argmax(axis=2) == 1, axis=0)
    print(f"{name}, go on in state 1: {right[0]}")
    print(f"{name}, value in state 1: {going_on[0]:.3f}")
    drawn[name] = dict(enumerate(going_on.tolist(), 1))
drawn["reward for taking"] = dict.fromkeys(range(1, STATES + 1), SURE)
measure.line_figure(drawn, "state", "value")
