# %% setup
import collections
import json
import re
from pathlib import Path

import tensorflow as tf

from gradvalve import measure
from gradvalve.tensorflow import scale_gradient

# %% variants
stop = tf.stop_gradient

VARIANTS = {
    "one-liner": lambda x, s: x * s + stop(x) * (1 - s),
    "summands swapped": lambda x, s: stop(x * (1 - s)) + x * s,
    "remainder stopped": lambda x, s: x * s + stop(x - x * s),
    "difference scaled": lambda x, s: stop(x) + s * (x - stop(x)),
    "scale_gradient": scale_gradient,
}


# %% others
def custom_gradient(x, s):
    @tf.custom_gradient
    def scaled(x):
        return tf.identity(x), lambda upstream: upstream * s

    return scaled(x)


ALL = {
    "identity": lambda x, s: tf.identity(x),
    "plain multiplication": lambda x, s: x * s,
    "custom gradient": custom_gradient,
    **VARIANTS,
}


# %% program
def program(variant):
    """The loss and its gradient, with the operation in between."""

    def loss_and_gradient(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = variant(tf.tanh(x), 0.3)
            loss = tf.reduce_sum(tf.tanh(y))
        return loss, tape.gradient(loss, x)

    return loss_and_gradient


def forward_only(variant):
    return lambda x: variant(x, 0.3)


x = tf.zeros([1024])

# %% nodes
AROUND = {"Placeholder", "Const"}
PASS_ON = {"Identity", "IdentityN", "StopGradient", "PartitionedCall"}


def nodes(function):
    """How many nodes of the graph compute something that is used."""
    function = tf.function(function, autograph=False)
    graph = function.get_concrete_function(x).graph
    used, left = set(), [output.op for output in graph.outputs]
    while left:
        node = left.pop()
        if node not in used:
            used.add(node)
            left += [value.op for value in node.inputs]
    return sum(node.type not in AROUND | PASS_ON for node in used)


without = nodes(program(ALL["identity"]))
for name, variant in ALL.items():
    forward = nodes(forward_only(variant))
    backward = nodes(program(variant)) - without - forward
    print(f"{name}, nodes: {forward} + {backward}")

# %% instructions
KINDS = ("multiply", "add", "subtract")
INSTRUCTION = re.compile(r" = \S+ ([a-z][a-z-]*)\(")


def instructions(function):
    """How often each instruction stands in what XLA compiled."""
    compiled = tf.function(function, autograph=False, jit_compile=True)
    text = compiled.experimental_get_compiler_ir(x)(stage="optimized_hlo")
    return collections.Counter(INSTRUCTION.findall(text))


without = instructions(program(ALL["identity"]))
added = {}
for name, variant in ALL.items():
    counts = instructions(program(variant))
    added[name] = {kind: counts[kind] - without[kind] for kind in KINDS}
    print(f"{name}, instructions: {sum(added[name].values())}")
forward = [
    instructions(forward_only(ALL[name]))
    for name in ("identity", "scale_gradient")
]
print(f"scale_gradient forward as identity: {forward[0] == forward[1]}")
SHOWN = (
    "one-liner",
    "remainder stopped",
    "difference scaled",
    "scale_gradient",
)
measure.bar_figure(
    {name: added[name] for name in SHOWN}, "instruction", "more than without"
)

# %% measured
data = json.loads(Path("cost.json").read_text())
for about in ("machine", "versions"):
    for name, value in data[about].items():
        print(f"{name}: {value}")
print(data["method"])
rows = {
    (row["framework"], row["mode"], row["variant"]): row for row in data["rows"]
}

# %% ratios
SIZES = {
    "64": "64",
    "1000": "10³",
    "10000": "10⁴",
    "100000": "10⁵",
    "1000000": "10⁶",
    "10000000": "10⁷",
}
SMALL, *_, LARGE = SIZES
LEAST = "one multiplication"


def ratio(place, variant, size, to):
    """Time both ways, compared with another program's."""
    one, other = (rows[*place, each]["both"][size] for each in (variant, to))
    return one / other


for *place, variant in rows:
    if variant != LEAST:
        key = ", ".join([*place, variant])
        print(f"{key}, large: {ratio(place, variant, LARGE, LEAST):.2f}")
        print(f"{key}, small: {ratio(place, variant, SMALL, 'identity'):.2f}")


# %% eager
def over_sizes(mode):
    names = ("one-liner", "custom gradient", "identity", "scale_gradient")
    place = "TensorFlow", mode
    return {
        name: {
            label: ratio(place, name, size, LEAST)
            for size, label in SIZES.items()
        }
        for name in names
    }


X_TITLE, Y_TITLE = "numbers in x", "time, relative to one multiplication"
measure.line_figure(over_sizes("eager"), X_TITLE, Y_TITLE, logarithmic=True)

# %% traced
drawn = over_sizes("tf.function")
measure.line_figure(drawn, X_TITLE, Y_TITLE, logarithmic=True)

# %% memory
memory = {
    name: {
        mode: rows["TensorFlow", mode, name]["memory"]["forward"]
        for mode in ("eager", "tf.function", "compiled")
    }
    for name in SHOWN
}
for name in SHOWN:
    for mode, multiple in memory[name].items():
        print(f"{name}, {mode}, memory: {multiple:.0f}")
measure.bar_figure(memory, "mode", "multiples of x")
