# %% setup
import sys
from collections.abc import Callable
from functools import partial
from typing import NamedTuple

import numpy as np
import tensorflow as tf
from PIL import Image
from sklearn.datasets import load_digits
from tqdm import tqdm

from gradvalve import measure
from gradvalve.tensorflow import stop_gradient


# %% attacks
def slope(loss, x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        value = loss(x)
    return tape.gradient(value, x)


def unit(vectors):
    return tf.math.l2_normalize(vectors, axis=-1, epsilon=1e-30)


def fgsm(loss, x, eps):
    return x + eps * tf.sign(slope(loss, x))


def l2_step(loss, x, eps):
    return x + eps * unit(slope(loss, x))


def pgd(loss, x, eps, steps=5):
    """Steps by the sign, kept in the cube around x."""
    adversarial = x
    for _ in range(steps):
        adversarial += 2 * eps / steps * tf.sign(slope(loss, adversarial))
        adversarial = tf.clip_by_value(adversarial, x - eps, x + eps)
    return adversarial


def l2_pgd(loss, x, eps, steps=10):
    """Normalised steps, kept on the sphere around x."""
    adversarial = x
    for _ in range(steps):
        offset = adversarial + eps * unit(slope(loss, adversarial)) - x
        adversarial = x + eps * unit(offset)
    return adversarial


# %% right
def adversarial_gradient(loss, x, weights, attack, stop=True):
    """The gradient for training; loss(x) uses the weights."""
    with tf.GradientTape(watch_accessed_variables=False) as tape:
        tape.watch(weights)
        adversarial = attack(loss, x)
        if stop:
            adversarial = stop_gradient(adversarial)
        value = loss(adversarial)
    return tape.gradient(value, weights)


# %% digits
SEEDS = 5
images, labels = load_digits(return_X_y=True)
order = np.random.default_rng(0).permutation(len(images))
images, labels = images[order] / 16, labels[order]
TRAIN, TEST = np.arange(1200), np.arange(1200, 1500)


def batch(rows):
    """The same images for the networks of all seeds."""
    return [
        tf.constant(np.repeat(array[None, rows], SEEDS, axis=0))
        for array in (images, labels)
    ]


class Networks(NamedTuple):
    activation: Callable
    weights: list  # the first axis counts the seeds

    def logits(self, x):
        inner, bias, outer, offset = self.weights
        return self.activation(x @ inner + bias) @ outer + offset

    def loss(self, x, labels):
        entropy = tf.nn.sparse_softmax_cross_entropy_with_logits(
            labels, self.logits(x)
        )
        return tf.reduce_sum(tf.reduce_mean(entropy, axis=1))

    def correct(self, x, labels):
        """Of each seed, the share of images that it gets right."""
        right = tf.argmax(self.logits(x), axis=-1) == labels
        return np.mean(right, axis=1)


def fresh(hidden=64):
    random = [np.random.default_rng(seed) for seed in range(SEEDS)]
    return [
        tf.Variable([r.normal(size=size) * scale for r in random])
        for size, scale in [
            ((64, hidden), (2 / 64) ** 0.5),
            ((1, hidden), 0),
            ((hidden, 10), (2 / hidden) ** 0.5),
            ((1, 10), 0),
        ]
    ]


# %% train
def weight_gradient(networks, x, labels, attack, stop):
    loss = partial(networks.loss, labels=labels)
    return adversarial_gradient(loss, x, networks.weights, attack, stop)


def train(activation, attack, stop, epochs=15):
    """Return the networks before training and after each epoch."""
    networks = Networks(activation, fresh())
    adam = tf.keras.optimizers.Adam(0.005)
    adam.build(networks.weights)

    @tf.function(autograph=False)
    def step(x, labels):
        adam.apply(weight_gradient(networks, x, labels, attack, stop))

    def now():
        weights = [tf.constant(weight.numpy()) for weight in networks.weights]
        return networks._replace(weights=weights)

    random, history = np.random.default_rng(0), [now()]
    for _ in range(epochs):
        for rows in random.permutation(TRAIN).reshape(-1, 100):
            step(*batch(rows))
        history.append(now())
    return history


runs = {
    "plain": (tf.nn.relu, lambda loss, x: x, True),
    "FGSM": (tf.nn.relu, partial(fgsm, eps=0.1), True),
    "PGD": (tf.nn.relu, partial(pgd, eps=0.1), True),
    "L2, stopped": (tf.nn.relu, partial(l2_step, eps=0.8), True),
    "L2, not stopped": (tf.nn.relu, partial(l2_step, eps=0.8), False),
    "L2, tanh, not stopped": (tf.tanh, partial(l2_step, eps=0.8), False),
}
histories = {
    name: train(*runs[name])
    for name in tqdm(runs, file=sys.stdout, leave=False)
}
trained = {name: history[-1] for name, history in histories.items()}

# %% magnitudes
some = batch(TRAIN[:200])
LENGTHS = (0.1, 0.2, 0.4, 0.6, 0.8, 1.0)


def both_gradients(networks, attack):
    """One row per seed: with the stop, and without."""
    for stop in (True, False):
        gradient = weight_gradient(networks, *some, attack, stop)
        rows = [tf.reshape(part, [SEEDS, -1]) for part in gradient]
        yield tf.concat(rows, axis=1).numpy()


norms, same = {}, []
for length in LENGTHS:
    # All 64 pixels changed by length/8 make a step of this length.
    for kind, attack in [
        ("sign", partial(fgsm, eps=length / 8)),
        ("L2", partial(l2_step, eps=length)),
    ]:
        stopped, full = both_gradients(trained["L2, stopped"], attack)
        for word, rows in [("stopped", stopped), ("not stopped", full)]:
            norm = float(np.median(np.linalg.norm(rows, axis=1)))
            norms.setdefault(f"{kind}, {word}", {})[length] = norm
        if kind == "sign":
            same.append(stopped.tobytes() == full.tobytes())
print(f"sign, same bits: {all(same)}")
ratio = norms["L2, not stopped"][0.8] / norms["L2, stopped"][0.8]
print(f"L2, not stopped by stopped: {ratio:.2f}")
measure.line_figure(norms, "length of the step", "gradient of the weights")


# %% misled
def accuracies(networks, attack):
    """Of each seed, in percent, for images that were not trained on."""
    x, labels = batch(TEST)
    adversarial = attack(partial(networks.loss, labels=labels), x)
    return 100 * networks.correct(adversarial, labels)


def accuracy(networks, attack):
    return float(np.median(accuracies(networks, attack)))


ATTACKS = {"one step": l2_step, "10 steps": l2_pgd}
L2_RUNS = [name for name in runs if name.startswith("L2")]
for name in L2_RUNS:
    one, ten = (
        accuracies(trained[name], partial(attack, eps=0.8))
        for attack in ATTACKS.values()
    )
    print(f"{name}, clean: {accuracy(trained[name], runs['plain'][1]):.0f}")
    print(f"{name}, one step: {np.median(one):.0f}")
    print(f"{name}, 10 steps: {np.median(ten):.0f}")
    print(f"{name}, smallest gap: {min(one - ten):.0f}")
    print(f"{name}, largest gap: {max(one - ten):.0f}")
measure.line_figure(
    {
        f"{name.removeprefix('L2, ')}, {title}": {
            length: accuracy(trained[name], partial(attack, eps=length))
            for length in (0.0, 0.2, 0.5, 0.8, 1.0)
        }
        for name in L2_RUNS[:2]
        for title, attack in ATTACKS.items()
    },
    "length of the step",
    "accuracy in percent",
)


# %% decide
def number(value):
    return tf.constant(value, tf.float64)


def half_stopped(loss, x, eps):
    """Wrong: only the length of the gradient is stopped."""
    gradient = slope(loss, x)
    return x + eps * gradient / stop_gradient(tf.norm(gradient))


w, x = number([3.0, 4.0]), number([0.0, 1.0])


def curved(x, w=w):
    return w[0] * x[0] + w[1] * x[1] ** 2 / 2


def by_differences(attack, step=1e-5):
    """The derivative of the loss after the attack, without a tape."""
    values = []
    for shift in step * np.eye(2):
        up, down = (partial(curved, w=w + sign * shift) for sign in (1, -1))
        values.append((up(attack(up, x)) - down(attack(down, x))) / (2 * step))
    return np.array(values)


for name, attack in [
    ("sign", fgsm),
    ("L2", l2_step),
    ("L2, 30 steps", partial(l2_pgd, steps=30)),
    ("half stopped", half_stopped),
]:
    attack = partial(attack, eps=1.0)
    for word, stop in [("stopped", True), ("not stopped", False)]:
        gradient = adversarial_gradient(curved, x, w, attack, stop)
        print(f"{name}, {word}: {gradient.numpy().round(4)}")
    print(f"{name}, differences: {by_differences(attack).round(4)}")


# %% growth
def difference(networks, attack):
    """What the stop changes, relative to the stopped gradient."""
    stopped, full = both_gradients(networks, attack)
    change = np.linalg.norm(full - stopped, axis=1)
    return change / np.linalg.norm(stopped, axis=1)


growth = {}
for length in (0.1, 0.4, 0.8):
    attack = partial(l2_step, eps=length)
    over_epochs = {
        epoch: difference(histories["L2, stopped"][epoch], attack)
        for epoch in (0, 1, 2, 3, 5, 10, 15)
    }
    for epoch in (0, 15):
        low, high = 100 * np.sort(over_epochs[epoch])[[0, -1]]
        print(f"length {length}, epoch {epoch}, lowest: {low:.2g}")
        print(f"length {length}, epoch {epoch}, highest: {high:.2g}")
    growth[f"length {length}"] = {
        epoch: 100 * float(np.median(each))
        for epoch, each in over_epochs.items()
    }
measure.line_figure(
    growth, "epochs of training", "difference in percent", logarithmic=True
)

# %% maximum
some = batch(TRAIN[:50])
COUNTS = (1, 2, 5, 10, 20)
nearer = {"tanh": {}, "ReLU": {}}
for title, name in [("tanh", "L2, tanh, not stopped"), ("ReLU", "L2, stopped")]:
    for steps in COUNTS:
        attack = partial(l2_pgd, eps=0.1, steps=steps)
        typical = np.median(difference(trained[name], attack))
        nearer[title][steps] = 100 * float(typical)
for title, line in nearer.items():
    print(f"{title}, one step: {line[1]:.2g}")
    print(f"{title}, last: {line[COUNTS[-1]]:.2g}")
measure.line_figure(
    nearer, "steps of the attack", "difference in percent", logarithmic=True
)

# %% robust
robust = {
    f"trained with {name}" if name != "plain" else "not adversarially": {
        eps: accuracy(trained[name], partial(pgd, eps=eps, steps=10))
        for eps in (0.0, 0.05, 0.1, 0.2)
    }
    for name in ("plain", "FGSM", "PGD")
}
for name, line in zip(("plain", "FGSM", "PGD"), robust.values(), strict=True):
    for eps in (0.0, 0.1):
        print(f"{name}, accuracy at {eps}: {line[eps]:.0f}")
measure.line_figure(robust, "eps", "accuracy in percent")

# %% nodes
AROUND = {"Placeholder", "Const"}
PASS_ON = {"Identity", "IdentityN", "StopGradient", "PartitionedCall"}


def counts(attack, stop):
    """Of the traced graph: nodes that compute, matrix products of these."""
    traced = tf.function(
        partial(weight_gradient, attack=attack, stop=stop), autograph=False
    ).get_concrete_function(trained["plain"], *some)
    used, left = set(), [output.op for output in traced.graph.outputs]
    while left:
        node = left.pop()
        if node not in used:
            used.add(node)
            left += [value.op for value in node.inputs]
    types = [node.type for node in used if node.type not in AROUND | PASS_ON]
    return len(types), sum("MatMul" in each for each in types)


products = {"stopped": {}, "not stopped": {}}
for name, attack in [
    ("FGSM", partial(fgsm, eps=0.1)),
    ("L2 step", partial(l2_step, eps=0.8)),
    ("PGD, 5 steps", partial(pgd, eps=0.1)),
]:
    for word, stop in [("stopped", True), ("not stopped", False)]:
        nodes, products[word][name] = counts(attack, stop)
        print(f"{name}, {word}: {nodes}")
        print(f"{name}, {word}, products: {products[word][name]}")
measure.bar_figure(products, "attack", "matrix products")

# %% pictures
x, truth = batch(TEST)
changed = fgsm(partial(trained["plain"].loss, labels=truth), x, 0.1)
pair = [each.numpy()[0] for each in (x, changed)]  # for the first seed
before, after = (
    np.argmax(trained["plain"].logits(each)[0], axis=-1) for each in pair
)
shown = np.flatnonzero((before == labels[TEST]) & (after != before))[:10]
print(f"read before: {' '.join(map(str, before[shown]))}")
print(f"read after: {' '.join(map(str, after[shown]))}")
tiles = [each[shown].reshape(-1, 8, 8) for each in pair]
tiles = np.pad(tiles, [(0, 0), (0, 0), (1, 1), (1, 1)])  # white between them
grey = 1 - np.vstack([np.hstack(row) for row in tiles])
grey = (255 * np.clip(grey, 0, 1)).astype(np.uint8)
Image.fromarray(grey).resize((700, 140), Image.Resampling.NEAREST)
