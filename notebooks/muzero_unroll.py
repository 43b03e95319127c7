# %% setup
import math
from collections.abc import Callable
from statistics import median
from typing import NamedTuple

import numpy as np
import tensorflow as tf

from gradvalve import measure
from gradvalve.tensorflow import scale_gradient

SCALINGS = {  # factors of the gradient: on the state, on each of K losses
    "both": lambda K: (1 / 2, 1 / K),
    "loss_only": lambda K: (1.0, 1 / K),
    "state_only": lambda K: (1 / 2, 1.0),
    "neither": lambda K: (1.0, 1.0),
}
NAMES = {
    "both": "both",
    "loss_only": "only 1/K on the loss",
    "state_only": "only ½ on the state",
    "neither": "no scaling",
}


# %% unroll
class Model(NamedTuple):
    weights: dict  # of the dynamics function, by name
    root: tf.Tensor  # the hidden state that the observation gave
    dynamics: Callable  # (state, weights): the next state
    loss: Callable  # (state, k): the loss of the prediction at step k


def unroll(model, step_weights, scaling, placement="pseudocode"):
    state, total = model.root, model.loss(model.root, 0)
    state_scale, loss_scale = SCALINGS[scaling](len(step_weights))
    for k, weights in enumerate(step_weights, 1):
        if placement == "text":
            state = scale_gradient(state, state_scale)
        state = model.dynamics(state, weights)
        if placement == "hook":
            state = scale_gradient(state, state_scale)
        total += scale_gradient(model.loss(state, k), loss_scale)
        if placement == "pseudocode":
            state = scale_gradient(state, state_scale)
    return total


# %% norms
def total_norm(model, K, *how):
    """Gradient of all dynamics weights together."""
    norms = measure.gradient_norms(
        lambda w: unroll(model, [w] * K, *how), model.weights
    )
    return math.hypot(*norms.values())


def step_norms(model, K, *how):
    """What each step contributes to it."""
    norms = measure.step_gradient_norms(
        lambda w: unroll(model, w, *how), model.weights, K
    )
    return {
        k: math.hypot(*step)
        for k, step in enumerate(zip(*norms.values(), strict=True), 1)
    }


def root_norm(model, K, *how):
    """Gradient of the hidden state at the root."""
    weights = [model.weights] * K

    def loss(w):
        return unroll(model._replace(root=w["root"]), weights, *how)

    return measure.gradient_norms(loss, {"root": model.root})["root"]


# %% totals
def number(value):
    return tf.constant(value, tf.float64)


aligned = Model(
    weights={"weight": number(0.0)},
    root=number(0.0),
    dynamics=lambda state, weights: state + weights["weight"],
    loss=lambda state, k: state,
)
LENGTHS = range(1, 51)
totals = {s: {K: total_norm(aligned, K, s) for K in LENGTHS} for s in SCALINGS}
for K in (1, 5, 10, 50):
    for scaling in SCALINGS:
        print(f"{scaling}_{K}: {totals[scaling][K]:.5g}")
measure.line_figure(
    {NAMES[scaling]: totals[scaling] for scaling in SCALINGS},
    "number of unrolled steps K",
    "gradient of the dynamics weights",
    logarithmic=True,
)


# %% closed_forms
def closed_forms(K):
    return {
        "both": 2 - 2 / K * (1 - 2**-K),
        "loss_only": (K + 1) / 2,
        "state_only": 2 * K - 2 * (1 - 2**-K),
        "neither": K * (K + 1) / 2,
    }


differences = [
    abs(totals[scaling][K] / closed - 1)
    for K in LENGTHS
    for scaling, closed in closed_forms(K).items()
]
print(f"largest_relative_difference: {max(differences):.0e}")
print(f"both_smallest: {min(totals['both'].values()):.4g}")
print(f"both_largest: {max(totals['both'].values()):.4g}")

# %% steps
arriving = {
    K: {NAMES[s]: step_norms(aligned, K, s) for s in SCALINGS}
    for K in (1, 2, 3, 5, 10, 20, 50)
}
for scaling in SCALINGS:
    first, *_, last = arriving[50][NAMES[scaling]].values()
    print(f"{scaling}_first: {first:.4g}")
    print(f"{scaling}_last: {last:.4g}")
measure.slider_figure(
    arriving,
    "K = ",
    "step k",
    "gradient that arrives at step k",
    logarithmic=True,
)

# %% placements
chain = Model(
    weights={"weight": number(2.0)},
    root=number(1.0),
    dynamics=lambda state, weights: weights["weight"] * state,
    loss=lambda state, k: state if k else number(0.0),
)
bars = {}
for key, name, *how in [
    ("pseudocode", "as in the pseudocode", "state_only", "pseudocode"),
    ("text", "as in the paper's text", "state_only", "text"),
    ("hook", "with a hook", "state_only", "hook"),
    ("unscaled", "no scaling", "neither"),
]:
    weights, root = (
        list(step_norms(chain, 3, *how).values()),
        root_norm(chain, 3, *how),
    )
    print(f"{key}_weights: {weights}")
    print(f"{key}_root: {root}")
    bars[name] = dict(
        zip(["w₁", "w₂", "w₃", "h₀"], [*weights, root], strict=True)
    )
measure.bar_figure(bars, "where it arrives", "gradient")

# %% root
for K in (1, 5, 10, 50):
    for placement in ("pseudocode", "text", "hook"):
        norm = root_norm(aligned, K, "both", placement)
        print(f"root_{placement}_{K}: {norm:.4g}")
    print(f"root_loss_only_{K}: {root_norm(aligned, K, 'loss_only'):.4g}")


# %% heads
def heads_norm(K, scaling):
    """Gradient of a weight that the predictions of all steps use."""

    def loss(w):
        model = aligned._replace(loss=lambda state, k: w["head"])
        return unroll(model, [model.weights] * K, scaling)

    return measure.gradient_norms(loss, {"head": number(1.0)})["head"]


for scaling in SCALINGS:
    for K in (1, 50):
        print(f"heads_{scaling}_{K}: {heads_norm(K, scaling):.4g}")


# %% growth
FEW = (1, 2, 5, 10, 20, 50)


def growth(model, scaling):
    """The gradient for each K, divided by that for K = 1."""
    norms = {K: total_norm(model, K, scaling) for K in FEW}
    return {K: norm / norms[1] for K, norm in norms.items()}


def across(choose, growths):
    return {K: choose(each[K] for each in growths) for K in FEW}


# %% shift
def shift(seed, size=200):
    """An orthogonal map: each step shifts the coordinates. Random targets."""
    pulls = np.random.default_rng(seed).normal(size=(51, size))
    pulls /= np.linalg.norm(pulls, axis=1, keepdims=True)
    return Model(
        weights={"bias": number(np.zeros(size))},
        root=number(np.zeros(size)),
        dynamics=lambda state, weights: (
            tf.roll(state, 1, axis=0) + weights["bias"]
        ),
        loss=lambda state, k: tf.reduce_sum(pulls[k] * state),
    )


# %% shift_totals
expected = {
    "both": lambda K: math.sqrt(4 / 3 * (K - (1 - 4**-K) / 3)) / K,
    "loss_only": lambda K: math.sqrt((K + 1) / (2 * K)),
}
lines = {}
for scaling in expected:
    shifted = across(
        median, [growth(shift(seed), scaling) for seed in range(10)]
    )
    for K in (1, 5, 10, 50):
        print(f"shifted_{scaling}_{K}: {shifted[K]:.3g}")
        print(f"shifted_{scaling}_{K}_expected: {expected[scaling](K):.3g}")
    lines[f"aligned paths: {NAMES[scaling]}"] = growth(aligned, scaling)
    lines[f"orthogonal map: {NAMES[scaling]}"] = shifted
measure.line_figure(
    lines,
    "number of unrolled steps K",
    "gradient, relative to K = 1",
    logarithmic=True,
)


# %% network
def network(seed, size=32, hidden=64):
    """A residual network, its states scaled to [0, 1]. Random targets."""
    random = np.random.default_rng(seed)
    targets = random.uniform(size=(51, size))

    def dynamics(state, weights):
        inner = tf.nn.relu(state @ weights["inner"] + weights["bias"])
        state += inner @ weights["outer"]
        smallest, largest = tf.reduce_min(state), tf.reduce_max(state)
        return (state - smallest) / (largest - smallest)

    return Model(
        weights={
            "inner": number(
                random.normal(size=(size, hidden)) * math.sqrt(2 / size)
            ),
            "bias": number(np.zeros(hidden)),
            "outer": number(
                random.normal(size=(hidden, size)) * math.sqrt(1 / hidden)
            ),
        },
        root=number(random.uniform(size=(1, size))),
        dynamics=dynamics,
        loss=lambda state, k: tf.reduce_mean((state - targets[k]) ** 2),
    )


# %% network_totals
lines = {}
for scaling in ("both", "loss_only"):
    growths = [growth(network(seed), scaling) for seed in range(10)]
    typical, most = across(median, growths), across(max, growths)
    print(f"network_{scaling}_50: {typical[50]:.3g}")
    print(
        f"network_{scaling}_smallest: {min(across(min, growths).values()):.3g}"
    )
    print(f"network_{scaling}_largest: {max(most.values()):.3g}")
    lines[f"median: {NAMES[scaling]}"] = typical
    lines[f"largest of ten: {NAMES[scaling]}"] = most
measure.line_figure(
    lines,
    "number of unrolled steps K",
    "gradient, relative to K = 1",
    logarithmic=True,
)
