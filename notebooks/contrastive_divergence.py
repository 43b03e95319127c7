# %% setup
import sys
from functools import partial
from math import log

import numpy as np
import tensorflow as tf
from PIL import Image
from sklearn.datasets import load_digits
from tqdm import tqdm

from gradvalve import measure
from gradvalve.tensorflow import stop_gradient

progress = partial(tqdm, file=sys.stdout, leave=False)
digits = (load_digits().data >= 8).astype("float32")  # 8×8, black or white
MACHINES = 3  # side by side, with different weights
every = tf.stack([digits] * MACHINES)


# %% machine
def hidden_mean(v, w):
    weights, _, hidden_bias = w
    return tf.sigmoid(v @ weights + hidden_bias)


def visible_mean(h, w):
    weights, visible_bias, _ = w
    return tf.sigmoid(tf.matmul(h, weights, transpose_b=True) + visible_bias)


def free_energy(v, w):
    weights, visible_bias, hidden_bias = w
    pairs = tf.nn.softplus(v @ weights + hidden_bias)
    return -tf.reduce_sum(v * visible_bias, -1) - tf.reduce_sum(pairs, -1)


# %% chain
def draw(p):
    u = tf.random.uniform(tf.shape(p), dtype=p.dtype)
    return tf.cast(u < p, p.dtype)


probabilities = tf.identity


def chain(v, w, steps, hidden=draw, visible=probabilities):
    for _ in range(steps):
        v = visible(visible_mean(hidden(hidden_mean(v, w)), w))
    return v


# %% loss
def loss(v, samples, w, stop=stop_gradient):
    samples = stop(samples)
    return tf.reduce_mean(free_energy(v, w) - free_energy(samples, w), -1)


unstopped_loss = partial(loss, stop=tf.identity)


def gradient(loss, v, w, steps=1, hidden=draw, visible=probabilities):
    tf.random.set_seed(0)  # the same random numbers for each loss
    with tf.GradientTape() as tape:
        tape.watch(w)
        value = loss(v, chain(v, w, steps, hidden, visible), w)
    return tape.gradient(value, w)


# %% by_hand
tiny = [tf.constant([[x]], tf.float64) for x in (0.0, log(3), 0.0)]
one = tf.ones((1, 1), tf.float64)
for name, each in [("with stop", loss), ("without stop", unstopped_loss)]:
    slope = gradient(each, one, tiny, hidden=tf.ones_like)[0]
    print(f"{name}: {slope.numpy().item():.3f}")


# %% train
def machines(size, spread=0.1, dtype="float32"):
    random = np.random.default_rng(size)
    mean = digits.mean(0).clip(0.01, 0.99)
    return [
        tf.constant(random.normal(0, spread, (MACHINES, 64, size)), dtype),
        tf.constant([[np.log(mean / (1 - mean))]] * MACHINES, dtype),
        tf.zeros((MACHINES, 1, size), dtype),
    ]


def train(loss, size, steps=1, visible=probabilities, persistent=False):
    tf.random.set_seed(1)
    w = [tf.Variable(each) for each in machines(size)]
    particles = tf.Variable(every[:, :100])

    @tf.function(autograph=False)
    def update():
        drawn = tf.random.uniform((MACHINES, 100), 0, len(digits), tf.int32)
        v = tf.gather(digits, drawn)
        start = particles if persistent else v
        with tf.GradientTape() as tape:
            samples = chain(start, w, steps, visible=visible)
            value = loss(v, samples, w)
        for each, slope in zip(w, tape.gradient(value, w), strict=True):
            each.assign_sub(0.1 * slope)
        particles.assign(samples)

    history = {0: look(w)}
    for done in progress(range(1, 501)):
        update()
        if done % 100 == 0:
            history[done] = look(w)
    return w, history


# %% look
def log_likelihood(w):
    """Exact, by the sum over all states of the hidden units."""
    weights, visible_bias, hidden_bias = w
    size = weights.shape[-1]
    h = (np.arange(2**size)[:, None] >> np.arange(size) & 1).astype("float32")
    turned = [tf.transpose(weights, (0, 2, 1)), hidden_bias, visible_bias]
    log_z = tf.reduce_logsumexp(-free_energy(h, turned), -1)
    return -tf.reduce_mean(free_energy(every, w), -1) - log_z


def look(w):
    v = every[:, :300]
    tf.random.set_seed(0)
    samples = chain(v, w, 1)
    seen = {
        "loss": loss(v, samples, w),
        "error": tf.reduce_mean((v - samples) ** 2, (1, 2)),
        "stopped": tf.norm(gradient(loss, v, w)[0], axis=(1, 2)),
        "unstopped": tf.norm(gradient(unstopped_loss, v, w)[0], axis=(1, 2)),
    }
    if w[0].shape[-1] <= 12:
        seen["likelihood"] = log_likelihood(w)
    return {name: float(tf.reduce_mean(each)) for name, each in seen.items()}


# %% gradients
def course(run, what):
    _, history = run
    return {updates: seen[what] for updates, seen in history.items()}


with_stop, without = train(loss, 12), train(unstopped_loss, 12)
measure.line_figure(
    {
        "with stop": course(with_stop, "stopped"),
        "same weights, without stop": course(with_stop, "unstopped"),
        "trained without stop": course(without, "unstopped"),
    },
    "updates",
    "gradient of the weights",
)

# %% likelihood
runs = {
    "CD-1": with_stop,
    "CD-5": train(loss, 12, steps=5),
    "persistent": train(loss, 12, visible=draw, persistent=True),
    "CD-1 without stop": without,
}
start = with_stop[1][0]
print(f"start: {start['likelihood']:.2f}")
print(f"start, error: {start['error']:.3f}")
for name, (_, history) in runs.items():
    for what in ("loss", "error", "likelihood"):
        print(f"{name}, {what}: {history[500][what]:.4g}")
measure.line_figure(
    {name: course(run, "likelihood") for name, run in runs.items()},
    "updates",
    "log-likelihood per digit",
)


# %% picture
def picture(tiles, color, columns=8, zoom=8):
    """Rows of 8×8 tiles; through the gaps one sees the page."""
    rows = len(tiles) // columns
    canvas = np.zeros((9 * rows - 1, 9 * columns - 1, 4), "uint8")
    for i, tile in enumerate(np.reshape(tiles, (-1, 8, 8, 1))):
        y, x = 9 * (i // columns), 9 * (i % columns)
        canvas[y : y + 8, x : x + 8, :3] = color(tile)
        canvas[y : y + 8, x : x + 8, 3] = 255
    size = zoom * canvas.shape[1], zoom * canvas.shape[0]
    return Image.fromarray(canvas).resize(size, Image.Resampling.NEAREST)


def diverging(tile, most=1):
    """Blue below 0, light gray at 0, orange above."""
    end = np.where(tile < 0, [31, 127, 184], [184, 55, 11])
    return 225 + np.minimum(np.abs(tile) / most, 1) * (end - 225)


# %% samples
large = {"with stop": loss, "without stop": unstopped_loss}
large = {name: train(each, 64) for name, each in large.items()}
rows = [digits[:16]]
for name, (w, history) in large.items():
    tf.random.set_seed(2)
    noise = draw(tf.fill((MACHINES, 32, 64), 0.5))
    drawn = draw(chain(noise, w, 100)).numpy()
    pixels = np.abs(drawn[:, :, None] - digits).sum(-1).min(-1)
    print(f"{name}, pixels to the nearest digit: {pixels.mean():.1f}")
    print(f"{name}, 64 units, error: {history[500]['error']:.3f}")
    rows.append(drawn[0, :16])
picture(-np.concatenate(rows), diverging)

# %% fields
fields = [tf.transpose(w[0][0])[:16] for w, _ in large.values()]
picture(np.concatenate(fields), diverging)


# %% analytic
def flat(slopes):
    return tf.concat([tf.reshape(s, (MACHINES, -1)) for s in slopes], 1)


def published(v, w, steps):
    """The update of the weights as published, with its sign turned."""
    tf.random.set_seed(0)
    samples = chain(v, w, steps)
    h, h_samples = hidden_mean(v, w), hidden_mean(samples, w)
    pairs = tf.matmul(v, h, transpose_a=True)
    pairs_samples = tf.matmul(samples, h_samples, transpose_a=True)
    return [
        (pairs_samples - pairs) / v.shape[1],
        tf.reduce_mean(samples - v, 1),
        tf.reduce_mean(h_samples - h, 1),
    ]


some = tf.cast(every[:, :100], tf.float64)
largest = 0
for size in (4, 16, 64, 256):
    w = machines(size, dtype="float64")
    for steps in (1, 5):
        known = flat(published(some, w, steps))
        found = flat(gradient(loss, some, w, steps))
        largest = max(largest, np.abs(found - known).max())
print(f"largest difference: {largest:.1e}")


# %% layers
def distance(slopes, reference):
    """Length of the difference, relative to the reference."""
    slopes, reference = flat(slopes), flat(reference)
    off = tf.norm(slopes - reference, axis=1) / tf.norm(reference, axis=1)
    return off.numpy()


def energy_loss(hidden, stop_hidden, stop_samples):
    """The loss with samples of the hidden units in both terms."""

    def energy(v, w):
        h = stop_hidden(hidden(hidden_mean(v, w)))
        weights, visible_bias, hidden_bias = w
        return -(
            tf.reduce_sum(v * visible_bias, -1)
            + tf.reduce_sum((v @ weights + hidden_bias) * h, -1)
        )

    def loss(v, samples, w):
        terms = energy(v, w), energy(stop_samples(samples), w)
        return tf.reduce_mean(terms[0] - terms[1], -1)

    return loss


bars = {"free energy": {}, "energy": {}, "energy, only samples stopped": {}}
w = machines(16, dtype="float64")
for place, hidden, visible in [
    ("both binary", draw, draw),
    ("hidden probabilities", probabilities, draw),
    ("visible probabilities", draw, probabilities),
    ("both probabilities", probabilities, probabilities),
]:
    right = energy_loss(hidden, stop_gradient, stop_gradient)
    none = energy_loss(hidden, tf.identity, tf.identity)
    half = energy_loss(hidden, tf.identity, stop_gradient)
    for name, wrong, reference in zip(
        bars, [unstopped_loss, none, half], [loss, right, right], strict=True
    ):
        slopes = [
            gradient(each, some, w, hidden=hidden, visible=visible)
            for each in (wrong, reference)
        ]
        bars[name][place] = float(distance(*slopes).mean())
measure.bar_figure(bars, "what the layers pass on", "relative difference")

# %% sizes
lines = {}
for spread in (0.1, 1.0):
    for steps in (1, 5):
        name = f"weight spread {spread:g}, steps: {steps}"
        lines[name] = {}
        for size in (4, 16, 64, 256):
            w = machines(size, spread, "float64")
            slopes = [
                gradient(each, some, w, steps)
                for each in (unstopped_loss, loss)
            ]
            lines[name][size] = float(distance(*slopes).mean())
measure.line_figure(lines, "hidden units", "relative difference")


# %% exact
def chances(p, states):
    """The chance of each state, given the units' probabilities."""
    p = p[:, None]
    return tf.reduce_prod(states * p + (1 - states) * (1 - p), -1)


@tf.function(autograph=False)
def exact(theta, data):
    """3 visible and 2 hidden units, by all their states."""
    v, h = (np.array(list(np.ndindex(*[2] * n)), float) for n in (3, 2))
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(theta)
        w = tf.reshape(theta[:6], (3, 2)), theta[6:9], theta[9:]
        up = hidden_mean(v, w)
        step = chances(up, h) @ chances(visible_mean(h, w), v)
        pairs = tf.reshape(v[:, :, None] * up[:, None], (8, 6))
        slopes = -tf.concat([pairs, v, up], 1)  # of the free energy
        free, p = free_energy(v, w), [data]
        for _ in range(8):
            p.append(tf.linalg.matvec(step, p[-1], transpose_a=True))
        p.append(tf.nn.softmax(-free))
        updates = (data - tf.stack(p[1:])) @ slopes
        leaking = -tf.reduce_sum(p[1] * stop_gradient(free))
        entropy = -tf.reduce_sum(p[1] * tf.math.log(p[1]))
    jacobian = tape.jacobian(updates, theta)
    odd = jacobian - tf.transpose(jacobian, (0, 2, 1))
    asymmetry = tf.norm(odd, axis=(1, 2)) / tf.norm(jacobian, axis=(1, 2))
    leak = tape.gradient(leaking, theta)
    third = leak + tape.gradient(entropy, theta)
    parts = tf.stack([tf.norm(leak), tf.norm(third)]) / tf.norm(updates[0])
    return tf.concat([asymmetry, parts], 0)


# %% asymmetry
found = []
for seed in range(20):
    random = np.random.default_rng(seed)
    theta = tf.constant(random.normal(size=11))
    found.append(exact(theta, tf.constant(random.dirichlet(np.ones(8)))))
*by_steps, likelihood, leak, third = np.median(found, 0)
print(f"asymmetry, likelihood: {likelihood:.0e}")
print(f"asymmetry, CD-1: {by_steps[0]:.2f}")
print(f"left out, in percent: {100 * third:.0f}")
print(f"leak, in percent: {100 * leak:.0f}")
measure.line_figure(
    {"median of 20 machines": dict(enumerate(map(float, by_steps), 1))},
    "steps of the chain",
    "asymmetry",
    logarithmic=True,
)
