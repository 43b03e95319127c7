# %% setup
import collections
import math
import re
import sys

import numpy as np
import tensorflow as tf
from tqdm import tqdm

from gradvalve import measure
from gradvalve.tensorflow import stop_gradient

keep = tf.identity  # stops nothing, for comparison


# %% functions
def softmax(x, maximum=stop_gradient):
    largest = maximum(tf.reduce_max(x, axis=-1, keepdims=True))
    e = tf.exp(x - largest)
    return e / tf.reduce_sum(e, axis=-1, keepdims=True)


def log_sum_exp(x, outer=stop_gradient, inner=stop_gradient):
    largest = tf.reduce_max(x, axis=-1, keepdims=True)
    e = tf.exp(x - inner(largest))
    total = tf.reduce_sum(e, axis=-1, keepdims=True)
    return tf.squeeze(outer(largest) + tf.math.log(total), axis=-1)


# %% gradient
def gradient(function, x, *arguments, weights=1):
    """Of the sum of all results, each times its weight."""
    with tf.GradientTape() as tape:
        tape.watch(x)
        loss = tf.reduce_sum(weights * function(x, *arguments))
    return tape.gradient(loss, x)


def rounded(entries):
    return [round(float(entry), 3) + 0.0 for entry in entries]  # no -0.0


# %% by_hand
PLACES = {  # of the maximum: outer, inner
    "both stopped": (stop_gradient, stop_gradient),
    "neither": (keep, keep),
    "only the outer": (stop_gradient, keep),
    "only the inner": (keep, stop_gradient),
}
x = tf.constant([1.0, 2.0])
for name, places in PLACES.items():
    print(f"{name}: {rounded(gradient(log_sum_exp, x, *places))}")

# %% draws
DTYPES = ("float32", "float16", "bfloat16")
SPREADS = (0.1, 0.2, 0.5, 1, 2, 5, 10)


def normal(seeds, size):
    """200 rows for each seed."""
    return np.stack(
        [np.random.default_rng(seed).normal(size=(200, size)) for seed in seeds]
    )


def draw(size, spread, tied=1):
    """Logits; in each row, so many of them share the maximum."""
    x = spread * normal(range(10), size)
    largest = np.argsort(x, axis=-1)[..., -tied:]
    np.put_along_axis(x, largest, x.max(axis=-1, keepdims=True), axis=-1)
    return x


def norm(difference):
    """For each seed."""
    return np.linalg.norm(difference, axis=(-2, -1))


def double(x):
    return tf.cast(x, tf.float64).numpy()


# %% through
def through(dtype, spread, *places):
    """What flows through the maximum in a row, root mean square."""
    x = tf.cast(draw(10, spread), dtype)
    without = double(gradient(log_sum_exp, x))
    whole = double(gradient(log_sum_exp, x, *places))
    return float(np.median(norm(whole - without)) / math.sqrt(x.shape[-2]))


USES = {
    "one use alone": ("float32", keep, stop_gradient),
    **{f"both uses, {dtype}": (dtype, keep, keep) for dtype in DTYPES},
}
lines = {
    name: {spread: through(dtype, spread, *places) for spread in SPREADS}
    for name, (dtype, *places) in USES.items()
}
measure.line_figure(
    lines,
    "spread of the logits",
    "gradient through the maximum",
    logarithmic=True,
)


# %% decide
def cross_entropy(x, labels_of):
    return tf.nn.softmax_cross_entropy_with_logits(labels_of(x), x)


x = tf.constant([1, 2], tf.float64)
LOSSES = {  # in each, m takes the place of the branch
    "softmax": lambda m: softmax(x, m)[0],
    "log-sum-exp": lambda m: log_sum_exp(x, m, m),
    "outer maximum": lambda m: log_sum_exp(x, outer=m),
    "inner maximum": lambda m: log_sum_exp(x, inner=m),
    "labels": lambda m: cross_entropy(x, m),
}


def branch_gradient(name):
    """How large it is, the branch being a variable of its own."""
    branch = softmax(x) if name == "labels" else tf.reduce_max(x)
    norms = measure.gradient_norms(
        lambda w: LOSSES[name](lambda _: w["branch"]), {"branch": branch}
    )
    return norms["branch"]


for name in LOSSES:
    print(f"{name}: {branch_gradient(name):.3f}")


# %% labels
def stopped_softmax(x):
    return stop_gradient(softmax(x))


for name, labels_of in [("free", softmax), ("stopped", stopped_softmax)]:
    print(f"labels {name}: {rounded(gradient(cross_entropy, x, labels_of))}")


# %% parts
def parts(dtype, size, spread, tied=1):
    """The gradient of softmax: exact, with the stop, without it."""
    x = tf.cast(draw(size, spread, tied), dtype)
    weights = tf.cast(normal(range(100, 110), size), dtype)
    p, w = softmax(double(x)), double(weights)
    exact = p * (w - tf.reduce_sum(p * w, axis=-1, keepdims=True))
    return exact.numpy(), *(
        double(gradient(softmax, x, maximum, weights=weights))
        for maximum in (stop_gradient, keep)
    )


# %% ties
def share(*how):
    """What flows through the maximum, relative to the gradient."""
    exact, stopped, whole = parts(*how)
    return float(np.median(norm(whole - stopped) / norm(exact)))


lines = {
    dtype: {tied: share(dtype, 10, 1, tied) for tied in range(1, 11)}
    for dtype in DTYPES
}
for dtype in DTYPES:
    for tied in (1, 2, 10):
        print(f"{dtype}, {tied} tied: {lines[dtype][tied]:.1e}")
measure.line_figure(
    lines,
    "entries that share the maximum",
    "gradient through the maximum, relative",
    logarithmic=True,
)


# %% errors
def errors(*how):
    """With the stop and without it, relative to the gradient; by seed."""
    exact, *computed = parts(*how)
    return [norm(each - exact) / norm(exact) for each in computed]


KINDS = {"flat": (10, 0.1), "peaked": (10, 10), "ties": (10, 1, 3)}
bars = {"stopped": {}, "not stopped": {}}
for dtype in DTYPES:
    for kind, how in KINDS.items():
        stopped, whole = errors(dtype, *how)
        print(f"{dtype}, {kind}, better stopped: {sum(stopped < whole)} of 10")
        bars["stopped"][f"{dtype}, {kind}"] = float(np.median(stopped))
        bars["not stopped"][f"{dtype}, {kind}"] = float(np.median(whole))
measure.bar_figure(
    bars, "logits", "relative error of the gradient", logarithmic=True
)


# %% sizes
def ratio(*how):
    stopped, whole = errors(*how)
    return float(np.median(whole / stopped))


states = {}
for size in tqdm((3, 10, 100), file=sys.stdout, leave=False):
    states[size] = {
        dtype: {spread: ratio(dtype, size, spread) for spread in SPREADS}
        for dtype in DTYPES
    }
measure.slider_figure(
    states,
    "n = ",
    "spread of the logits",
    "error not stopped / stopped",
    logarithmic=True,
)

# %% programs
rows = tf.zeros([256, 10])
PROGRAMS = {
    "softmax, stopped": (softmax,),
    "softmax, not stopped": (softmax, keep),
    "tf.nn.softmax": (tf.nn.softmax,),
    "log-sum-exp, stopped": (log_sum_exp,),
    "log-sum-exp, not stopped": (log_sum_exp, keep, keep),
    "tf.reduce_logsumexp": (tf.reduce_logsumexp, -1),
}


def program(function, *arguments, **how):
    weights = tf.ones(function(rows, *arguments).shape)
    return tf.function(
        lambda x: gradient(function, x, *arguments, weights=weights), **how
    )


# %% nodes
UNCOUNTED = {"Placeholder", "Const", "Identity", "StopGradient"}


def nodes(name):
    """How many nodes of the graph compute something that is used."""
    graph = program(*PROGRAMS[name]).get_concrete_function(rows).graph
    used, left = set(), [output.op for output in graph.outputs]
    while left:
        node = left.pop()
        if node not in used:
            used.add(node)
            left += [value.op for value in node.inputs]
    return sum(node.type not in UNCOUNTED for node in used)


# %% instructions
MOVES = {"parameter", "constant", "broadcast", "bitcast", "fusion", "call"}
INSTRUCTION = re.compile(r" = (?:\(.*?\)|\S+) ([a-z][a-z-]*)\(")


def instructions(name):
    """How often each instruction that computes stands in XLA's program."""
    compiled = program(*PROGRAMS[name], jit_compile=True)
    text = compiled.experimental_get_compiler_ir(rows)(stage="optimized_hlo")
    found = INSTRUCTION.findall(text)
    return collections.Counter(kind for kind in found if kind not in MOVES)


counts = {
    name: instructions(name)
    for name in tqdm(PROGRAMS, file=sys.stdout, leave=False)
}
bars = {
    "nodes": {name: nodes(name) for name in PROGRAMS},
    "compiled": {name: counts[name].total() for name in PROGRAMS},
}
for name in PROGRAMS:
    print(f"{name}, nodes: {bars['nodes'][name]}")
    print(f"{name}, compiled: {bars['compiled'][name]}")
    print(f"{name}, reductions: {counts[name]['reduce']}")
measure.bar_figure(bars, "function", "operations")


# %% naive
def naive_softmax(x):
    e = tf.exp(x)
    return e / tf.reduce_sum(e, axis=-1, keepdims=True)


def first(x, function):
    return function(x)[:, 0]


def three_equal(grid, dtype):
    return tf.cast(np.stack([grid] * 3, axis=-1), dtype)


def first_gradient(x, function, compiled=False):
    """Of the first result in each row."""

    def run(x):
        return gradient(first, x, function)

    if compiled:
        run = tf.function(run, jit_compile=True).get_concrete_function(x)
    return double(run(x))


def limit(dtype, compiled):
    """From where on the gradient at three equal logits is wrong."""
    x = three_equal(np.arange(0, 90, 0.01), dtype)
    found = first_gradient(x, naive_softmax, compiled)
    right = np.isclose(found, [2 / 9, -1 / 9, -1 / 9], atol=0.01)
    return float(x[right.all(axis=-1).argmin(), 0])


for dtype in DTYPES:
    largest = float(tf.as_dtype(dtype).max)
    print(f"{dtype}, exp: {math.log(largest):.2f}")
    print(f"{dtype}, sum: {math.log(largest / 3):.2f}")
    print(f"{dtype}, not compiled: {limit(dtype, compiled=False):.2f}")
    print(f"{dtype}, compiled: {limit(dtype, compiled=True):.2f}")

# %% overflow
grid = range(40, 91)


def sizes(*how):
    found = first_gradient(three_equal(grid, "float32"), *how)
    norms = np.linalg.norm(found, axis=-1).tolist()
    return {
        x: None if math.isnan(y) else y
        for x, y in zip(grid, norms, strict=True)
    }


lines = {
    "with the maximum": sizes(softmax),
    "naive": sizes(naive_softmax),
    "naive, compiled": sizes(naive_softmax, True),
}
measure.line_figure(lines, "three equal logits", "size of the gradient")

# %% masked
masked = tf.fill([3], -np.inf)
for name, maximum in [("stopped", stop_gradient), ("not stopped", keep)]:
    print(f"all masked, {name}: {softmax(masked, maximum).numpy()}")
total = tf.reduce_logsumexp(masked)
print(f"all masked, log-sum-exp: {total}")
print(f"all masked, its gradient: {gradient(tf.reduce_logsumexp, masked)}")
