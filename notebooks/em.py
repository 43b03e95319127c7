# %% setup
import math
import sys

import numpy as np
import tensorflow as tf
from sklearn.datasets import load_iris
from tqdm import tqdm

from gradvalve import measure
from gradvalve.tensorflow import stop_gradient


# %% mixture
def parameters(mean, std):
    """Components with these means and stds, all of equal weight."""
    mean = tf.convert_to_tensor(mean, tf.float64)
    log_std = tf.broadcast_to(np.log(std), mean.shape)
    return {"mean": mean, "log_std": log_std, "logits": tf.zeros_like(mean)}


def log_joint(x, theta):
    """log p(x, component), of shape [..., points, components]."""
    mean, log_std = theta["mean"][..., None, :], theta["log_std"][..., None, :]
    log_weight = tf.nn.log_softmax(theta["logits"])[..., None, :]
    z = (x[..., None] - mean) / tf.exp(log_std)
    return log_weight - log_std - (z**2 + math.log(2 * math.pi)) / 2


def log_likelihood(x, theta):
    return tf.reduce_mean(tf.reduce_logsumexp(log_joint(x, theta), -1), -1)


# %% objective
def q(x, theta, stop=stop_gradient):
    joint = log_joint(x, theta)
    responsibilities = stop(tf.nn.softmax(joint))  # E-step
    return tf.reduce_mean(tf.reduce_sum(responsibilities * joint, -1), -1)


def q_without_stop(x, theta):
    return q(x, theta, stop=tf.identity)


# %% by_hand
OBJECTIVES = {
    "likelihood": log_likelihood,
    "with stop": q,
    "without stop": q_without_stop,
}
a = tf.constant(1.0, tf.float64)
for name, objective in OBJECTIVES.items():
    with tf.GradientTape() as tape:
        tape.watch(a)
        value = objective(np.ones(1), parameters([-a, a], std=1))
    print(f"{name}, a = x = 1: {tape.gradient(value, a):.4f}")


# %% closed_form
def em_step(x, theta):
    """E-step and closed-form M-step. Nothing is differentiated."""
    responsibilities = tf.nn.softmax(log_joint(x, theta))
    count = tf.reduce_sum(responsibilities, -2)
    mean = tf.reduce_sum(responsibilities * x[..., None], -2) / count
    squares = (x[..., None] - mean[..., None, :]) ** 2
    variance = tf.reduce_sum(responsibilities * squares, -2) / count
    log_std, logits = tf.math.log(variance) / 2, tf.math.log(count)
    return {"mean": mean, "log_std": log_std, "logits": logits}


# %% magnitudes
def draw(distance, seed, points=200):
    """Half of the points from each of two components, with std 1."""
    centers = np.repeat([-distance / 2, distance / 2], points // 2)
    return np.random.default_rng(seed).normal(centers, 1)


def magnitude(objective, x, theta):
    norms = measure.gradient_norms(lambda w: objective(x, w), theta)
    return math.hypot(*norms.values())


x = tf.constant(draw(distance=3, seed=0))
theta = start = parameters([-0.5, 0.5], std=1)
magnitudes = {"with stop": {}, "without stop": {}}
for iteration in range(51):
    for name, line in magnitudes.items():
        line[iteration] = magnitude(OBJECTIVES[name], x, theta)
    theta = em_step(x, theta)
for name, line in magnitudes.items():
    print(f"{name}, iteration 50: {line[50]:.2g}")
measure.line_figure(magnitudes, "iteration of EM", "gradient", logarithmic=True)


# %% fisher
def gradient(objective, x, theta):
    with tf.GradientTape() as tape:
        tape.watch(theta)
        value = objective(x, theta)
    return tape.gradient(value, theta)


def difference(one, other):
    """Relative to the other, for each set of parameters."""
    gap = [tf.norm(one[name] - other[name], axis=-1) for name in other]
    size = [tf.norm(other[name], axis=-1) for name in other]
    return tf.norm(gap, axis=0) / tf.norm(size, axis=0)


DISTANCES = (1, 2, 3, 4, 6, 8)
SEEDS = range(20)
drawn = tf.constant([[draw(d, seed) for seed in SEEDS] for d in DISTANCES])
random = np.random.default_rng(0)
anywhere = {
    name: tf.constant(random.normal(0, std, [len(DISTANCES), len(SEEDS), 2]))
    for name, std in [("mean", 2), ("log_std", 0.5), ("logits", 1)]
}
likelihood = gradient(log_likelihood, drawn, anywhere)
for name in ("with stop", "without stop"):
    off = difference(gradient(OBJECTIVES[name], drawn, anywhere), likelihood)
    print(f"{name}, smallest: {tf.reduce_min(off):.1e}")
    print(f"{name}, largest: {tf.reduce_max(off):.1e}")


# %% elbo
def entropy(x, theta, stop=stop_gradient):
    log_r = stop(tf.nn.log_softmax(log_joint(x, theta)))
    return -tf.reduce_mean(tf.reduce_sum(tf.exp(log_r) * log_r, -1), -1)


def elbo(stop_in_q, stop_in_entropy):
    return lambda x, theta: (
        q(x, theta, stop_in_q) + entropy(x, theta, stop_in_entropy)
    )


VARIANTS = {
    "Q": q_without_stop,
    "Q stopped": q,
    "ELBO": elbo(tf.identity, tf.identity),
    "ELBO stopped": elbo(stop_gradient, stop_gradient),
    "ELBO stopped in Q": elbo(stop_gradient, tf.identity),
    "ELBO stopped in H": elbo(tf.identity, stop_gradient),
}


# %% check
def finite_differences(objective, x, theta, h=1e-5):
    def slope(name, step):
        up = objective(x, theta | {name: theta[name] + step})
        down = objective(x, theta | {name: theta[name] - step})
        return (up - down) / (2 * h)

    steps = h * tf.eye(len(theta["mean"]), dtype=tf.float64)
    return {name: tf.stack([slope(name, s) for s in steps]) for name in theta}


of_likelihood = finite_differences(log_likelihood, x, start)
for name, objective in VARIANTS.items():
    given = gradient(objective, x, start)
    of_value = finite_differences(objective, x, start)
    print(f"{name}, own value: {difference(given, of_value):.6f}")
    print(f"{name}, likelihood: {difference(given, of_likelihood):.6f}")


# %% through
def through_e_step(sharpness, with_entropy):
    """The gradient that flows through the responsibilities alone."""

    def objective(x, theta):
        joint = log_joint(x, theta)
        log_r = tf.nn.log_softmax(sharpness * joint)
        terms = stop_gradient(joint) - (log_r if with_entropy else 0)
        return tf.reduce_mean(tf.reduce_sum(tf.exp(log_r) * terms, -1))

    return magnitude(objective, x, start)


print(f"Q, exact E-step: {through_e_step(1, with_entropy=False):.2g}")
print(f"ELBO, exact E-step: {through_e_step(1, with_entropy=True):.0e}")
print(f"ELBO, other E-step: {through_e_step(0.5, with_entropy=True):.2g}")


# %% train
@tf.function(autograph=False, jit_compile=True)
def ascend(objective, x, theta, rate=0.5, steps=50):
    def step(i, theta):
        slope = gradient(objective, x, theta)
        return i + 1, {k: theta[k] + rate * slope[k] for k in theta}

    return tf.while_loop(lambda i, _: i < steps, step, (0, theta))[1]


def train(name, x, theta):
    """The parameters after 0, 50, 100, …, 1000 steps."""
    path = [theta]
    for _ in tqdm(range(20), desc=name, file=sys.stdout, leave=False):
        path.append(ascend(OBJECTIVES[name], x, path[-1]))
    return path


def true_parameters(distances, seeds):
    means = np.array(distances)[:, None, None] * [-0.5, 0.5]
    return parameters(np.repeat(means, seeds, axis=1), std=1)


# %% paths
true = true_parameters(DISTANCES, len(SEEDS))
two_points = random.permuted(drawn, axis=-1)[..., :2]
starts = {
    "true start": true,
    "random start": parameters(two_points, np.std(drawn, -1)[..., None]),
}
paths = {
    (name, place): train(name, drawn, theta)
    for name in ("with stop", "without stop")
    for place, theta in starts.items()
}
states = {
    d: {
        name: {
            50 * i: float(np.median(np.exp(np.min(theta["log_std"][k], -1))))
            for i, theta in enumerate(paths[name, "true start"])
        }
        for name in ("with stop", "without stop")
    }
    for k, d in reversed(list(enumerate(DISTANCES)))
}
for d in DISTANCES:
    for name, line in states[d].items():
        print(f"{name}, std at {d}: {line[1000]:.3f}")
measure.slider_figure(states, "distance = ", "step", "std of the narrower one")


# %% given_up
def given_up(theta):
    """Runs that leave a component below 5 % of the points, in percent."""
    smallest = np.min(tf.nn.softmax(theta["logits"]), -1)
    return np.round(100 * np.mean(smallest < 0.05, -1)).tolist()


bars = {
    f"{name}, {place}": dict(
        zip(map(str, DISTANCES), given_up(path[-1]), strict=True)
    )
    for (name, place), path in paths.items()
}
many = tf.constant([[draw(d, s, points=2000) for s in SEEDS] for d in (1, 2)])
*_, last = train("without stop", many, true_parameters((1, 2), len(SEEDS)))
for name, shares in bars.items():
    print(f"{name}: {list(shares.values())}")
for d, share in zip((1, 2), given_up(last), strict=True):
    print(f"2000 points, without stop, distance {d}: {share:.0f}")
measure.bar_figure(bars, "distance", "runs in percent")

# %% price
mean = tf.reduce_mean(drawn, -1, keepdims=True)
one_component = parameters(mean, np.std(drawn, -1)[..., None])
lost = log_likelihood(drawn, true) - log_likelihood(drawn, one_component)
prices = {
    "entropy with two components": entropy(drawn, true),
    "lost with one component": lost,
}
prices = {
    name: dict(zip(DISTANCES, np.mean(price, -1).tolist(), strict=True))
    for name, price in prices.items()
}
for name, line in prices.items():
    print(f"{name}, at 1: {line[1]:.3f}")
measure.line_figure(prices, "distance", "per point")

# %% iris
petal_length = tf.constant(load_iris().data[:, 2])
theta = parameters([1.5, 4.0, 5.5], std=0.5)
em = tf.function(em_step, autograph=False)
for _ in range(5000):
    theta = em(petal_length, theta)
fits = {
    name: ascend(OBJECTIVES[name], petal_length, theta, rate=0.02, steps=5000)
    for name in ("with stop", "without stop")
}
for name, fit in fits.items():
    weights = tf.nn.softmax(fit["logits"])
    print(f"{name}, means: {np.round(fit['mean'], 3)}")
    print(f"{name}, stds: {np.round(np.exp(fit['log_std']), 3)}")
    print(f"{name}, weights: {np.round(weights, 3)}")
    print(f"{name}, third mean: {fit['mean'][2]:.3f}")
    print(f"{name}, third weight in percent: {100 * weights[2]:.1f}")

# %% densities
grid = np.linspace(1, 7, 121).round(2)
densities = {
    name: np.exp(tf.reduce_logsumexp(log_joint(grid, fit), -1)).tolist()
    for name, fit in fits.items()
}
measure.line_figure(
    {
        name: dict(zip(grid.tolist(), density, strict=True))
        for name, density in densities.items()
    },
    "petal length in cm",
    "density",
)
