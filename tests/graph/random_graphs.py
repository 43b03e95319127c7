"""Random graphs, which the engine and TensorFlow both build, from one description."""
# ruff: noqa: ARG005 (all operations take the same arguments)

from types import SimpleNamespace

import tensorflow as tf
from hypothesis import strategies as st

import gradvalve.graph as engine
import gradvalve.tensorflow as valves

# TensorFlow under the engine's names. Its maximum gives a tie's gradient to one side only, its
# reduce_max shares it, so that this is the oracle.
tensorflow = SimpleNamespace(
    exp=tf.exp,
    log=tf.math.log,
    tanh=tf.tanh,
    sigmoid=tf.sigmoid,
    relu=tf.nn.relu,
    maximum=lambda x, y: tf.reduce_max(tf.stack([x + 0 * y, y + 0 * x]), axis=0),
    reduce_sum=tf.reduce_sum,
    reduce_mean=tf.reduce_mean,
    reduce_max=tf.reduce_max,
    dot=lambda x, y: tf.reduce_sum(x * y),
    softmax=lambda x: tf.reshape(tf.nn.softmax(tf.reshape(x, [-1])), x.shape),
    log_sum_exp=tf.reduce_logsumexp,
    stop_gradient=valves.stop_gradient,
    scale_gradient=valves.scale_gradient,
)

# Each of a framework and two inputs. What would leave the domain is led back into it, since beyond
# there is only nan, which the tables of special values are for.
OPERATIONS = {
    "add": lambda m, x, y: x + y,
    "subtract": lambda m, x, y: x - y,
    "multiply": lambda m, x, y: x * y,
    "divide": lambda m, x, y: x / (y * y + 0.5),
    "power": lambda m, x, y: (x * x + 0.5) ** m.tanh(y),
    "cube": lambda m, x, _: x**3,
    "negative": lambda m, x, _: -x,
    "exp": lambda m, x, _: m.exp(m.tanh(x)),
    "log": lambda m, x, _: m.log(x * x + 0.5),
    "tanh": lambda m, x, _: m.tanh(x),
    "sigmoid": lambda m, x, _: m.sigmoid(x),
    "relu": lambda m, x, _: m.relu(x),
    "maximum": lambda m, x, y: m.maximum(x, y),
    "reduce_sum": lambda m, x, _: m.reduce_sum(x),
    "reduce_mean": lambda m, x, _: m.reduce_mean(x),
    "reduce_max": lambda m, x, _: m.reduce_max(x),
    "dot": lambda m, x, y: m.dot(x, y),
    "softmax": lambda m, x, _: m.softmax(x),
    "log_sum_exp": lambda m, x, _: m.log_sum_exp(x),
}
VALVES = {
    "stop_gradient": lambda m, x, _: m.stop_gradient(x),
    "halved": lambda m, x, _: m.scale_gradient(x, 0.5),
    "reversed": lambda m, x, _: m.scale_gradient(x, -1.5),
    "shut": lambda m, x, _: m.scale_gradient(x, 0.0),
    "scaled": lambda m, x, y: m.scale_gradient(x, m.reduce_mean(y)),
}

numbers = st.floats(-2, 2).map(lambda x: round(x, 2))  # shorter reports, and some ties
inputs = st.tuples(numbers, numbers, st.lists(numbers, min_size=3, max_size=3))


def graphs(operations):
    """Draw a graph: steps of an operation and how far back its two inputs lie."""
    back = st.integers(1, 6)
    step = st.tuples(st.sampled_from(sorted(operations)), back, back)
    return st.lists(step, min_size=1, max_size=8)


def build(framework, steps, xs):
    """Return the loss of such a graph, as a function of the inputs, in a framework."""
    nodes = list(xs)
    for name, first, second in steps:
        operation = (OPERATIONS | VALVES)[name]
        nodes.append(operation(framework, *(nodes[-min(n, len(nodes))] for n in (first, second))))
    return framework.reduce_sum(nodes[-1]) + framework.reduce_mean(nodes[-2])


def build_in_engine(steps, at):
    """Return the inputs and the loss as nodes."""
    xs = [engine.variable("x", value) for value in at]
    return xs, build(engine, steps, xs)


def size_and_gaps(nodes):
    """Return the largest number in a graph, and the distances between what its nodes compare."""
    order = engine.topological_order(nodes)
    values = dict(zip(order, engine.evaluate(order), strict=True))
    size = max([1.0, *(abs(x) for node in order for x in as_list(values[node]))])
    return size, [gap for node in order for gap in gaps(node, values)]


def gaps(node, values):
    """Return how far apart the numbers are between which a node decides."""
    if node.operation == "reduce_max":
        largest, *others = sorted(as_list(values[node.inputs[0]]), reverse=True)
        return [largest - x for x in others]
    if node.operation == "relu":
        return [abs(x) for x in as_list(values[node.inputs[0]])]
    if node.operation == "maximum":
        difference = engine.subtract(*(engine.constant(values[x]) for x in node.inputs))
        return [abs(x) for x in as_list(engine.evaluate(difference))]
    return []


def as_list(value):
    return value if isinstance(value, list) else [value]
