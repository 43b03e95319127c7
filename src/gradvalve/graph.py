"""Automatic differentiation on a graph, in plain Python: small enough to read in one sitting.

A graph is made of nodes. A node is a named operation: it knows its inputs, the rule that computes
its value from theirs, and for each input the rule by which a gradient flows back into it. An input
without such a rule is hidden from the gradient: that is all that `stop_gradient` does.

Writing `z = x * y` computes nothing, it only adds a node; `evaluate` computes. `gradients` walks
from a loss back to the inputs that contributed to it, and adds the operations that compute the
derivatives to the same graph, so that they can be differentiated again.

Values are floats or flat lists of floats. Where Python would raise an exception, they follow
IEEE 754: exp(800) is inf, log(0) is -inf, 0 / 0 is nan. The file runs in CPython and MicroPython.
"""
# ruff: noqa: ARG005, B905 (all rules take the same arguments; MicroPython's zip has no strict)

import math
from functools import reduce

name_counts = {}  # how many nodes of each operation were made; clear() lets names start at 1 again


class Node:
    """A named operation, and its output: a float if the shape is (), n floats if it is (n,).

    What its rule and its gradient rules are is said above the table of operations.
    """

    given_name = None

    def __init__(self, operation, inputs, shape, rule, gradient_rules):
        self.number = name_counts[operation] = name_counts.get(operation, 0) + 1
        self.operation = operation
        self.inputs = inputs
        self.shape = shape
        self.rule = rule
        self.gradient_rules = gradient_rules

    @property
    def name(self):
        """The given name, or one like "multiply_3"."""
        return self.given_name or f"{self.operation}_{self.number}"  # late: most are never read

    def __repr__(self):
        inputs = ", ".join([x.name for x in self.inputs])
        return f"{self.name} = {self.operation}({inputs or self.rule()})"

    def named(self, name):
        """Give the node this name, and return the node."""
        if not isinstance(name, str):
            raise TypeError(f"{self.name}: expected a string as name, not {name!r}")
        self.given_name = name
        return self


def variable(name, value):
    """Return a node that has this value, unless `evaluate` is fed another."""
    return _leaf("variable", value, f"variable {name!r}").named(name)


def constant(value):
    """Return a node that has this value. Operations turn numbers and lists into constants."""
    return _leaf("constant", value, "constant")


def _leaf(operation, value, name):
    value, shape = _checked(value, name)
    return Node(operation, [], shape, lambda: value[:] if shape else value, [])


def _checked(value, name):
    """Return the value as a float or a list of floats, and its shape."""
    if _is_number(value):
        return float(value), ()
    if isinstance(value, (list, tuple)) and value and all(map(_is_number, value)):
        return [float(x) for x in value], (len(value),)
    raise TypeError(f"{name}: expected a number or a flat list of numbers, not {value!r}")


def _is_number(x):
    return isinstance(x, (int, float)) and not isinstance(x, bool)


def _operation(name, rule, *gradient_rules, reduces=False):
    """Make the function that adds a node. Rules that reduce are for lists, others for floats."""

    def on_lists(*values):  # a float is repeated to the length of the others
        size = max([len(x) for x in values if isinstance(x, list)] or [1])
        lists = [x if isinstance(x, list) else [x] * size for x in values]
        return rule(*lists) if reduces else [rule(*row) for row in zip(*lists)]

    def operation(*inputs):
        """Add the operation to the graph. Inputs are nodes, numbers or flat lists of numbers."""
        if len(inputs) != len(gradient_rules):
            raise TypeError(f"{name}: expected {len(gradient_rules)} inputs, not {len(inputs)}")
        nodes, shape = [], ()
        for x in inputs:
            node = x if isinstance(x, Node) else _leaf("constant", x, name)
            nodes.append(node)
            if shape and node.shape and node.shape != shape:
                given = " and ".join([f"{node.name} of shape {node.shape}" for node in nodes])
                raise ValueError(f"{name}: expected scalars or vectors of one length, not {given}")
            shape = shape or node.shape
        if reduces:
            return Node(name, nodes, (), on_lists, gradient_rules)
        return Node(name, nodes, shape, on_lists if shape else rule, gradient_rules)

    return operation


def _power(x, y):
    try:
        return math.pow(x, y)
    except (OverflowError, ValueError):  # a root of a negative number; else an overflow, or 1 / 0
        sign = x if y % 2 == 1 else 1.0
        return math.nan if x < 0 and y % 1 else math.copysign(math.inf, sign)


def _exp(x):
    return math.inf if x > 709.782712893384 else math.exp(x)  # the logarithm of the largest float


def _larger(x, y):
    return x if x > y or x != x else y  # nan counts as the largest


def _sum(x):
    return reduce(lambda x, y: x + y, x)  # sum() rounds in another way since Python 3.12


# The operations. The first rule computes the value from the values of the inputs. Of the others
# there is one for each input: from g, the gradient of the loss with respect to the output, the
# output and the inputs, all of them nodes, it makes the gradient with respect to that input. None
# hides the input.
# fmt: off
add = _operation("add", lambda x, y: x + y, lambda g, z, x, y: g, lambda g, z, x, y: g)
subtract = _operation("subtract", lambda x, y: x - y, lambda g, z, x, y: g, lambda g, z, x, y: -g)
negative = _operation("negative", lambda x: -x, lambda g, y, x: -g)
multiply = _operation("multiply", lambda x, y: x * y,
    lambda g, z, x, y: g * y,
    lambda g, z, x, y: g * x)
# As multiply, but y = 0 makes 0 of inf and nan too: what is shut lets nothing through.
multiply_no_nan = _operation("multiply_no_nan", lambda x, y: x * y if y else 0.0,
    lambda g, z, x, y: multiply_no_nan(g, y),
    lambda g, z, x, y: multiply_no_nan(x, g))
divide = _operation("divide", lambda x, y: x / y if y else x * math.copysign(math.inf, y),
    lambda g, z, x, y: g / y,
    lambda g, z, x, y: -(g * z / y))
power = _operation("power", _power,  # x ** 0 and 0 ** y are constant: slope 0, no 0 * inf
    lambda g, z, x, y: g * multiply_no_nan(x ** (y - 1), y),
    lambda g, z, x, y: g * multiply_no_nan(log(x), z))
exp = _operation("exp", _exp, lambda g, y, x: g * y)
log = _operation("log", lambda x: math.log(x) if x > 0 else math.nan if x else -math.inf,
    lambda g, y, x: g / x)
tanh = _operation("tanh", math.tanh, lambda g, y, x: g * (1 - y * y))
sigmoid = _operation("sigmoid", lambda x: 1 / (1 + _exp(-x)), lambda g, y, x: g * y * (1 - y))
greater = _operation("greater", lambda x, y: 1.0 if x > y else 0.0, None, None)
equal = _operation("equal", lambda x, y: 1.0 if x == y else 0.0, None, None)
# At 0 relu has the gradient 0, as in all frameworks. At a tie x and y of maximum get half each, as
# in JAX and PyTorch: so neither is favoured (TensorFlow favours x), and reduce_max agrees.
relu = _operation("relu", lambda x: 0.0 if x <= 0 else x,
    lambda g, y, x: multiply_no_nan(g, greater(x, 0)))
maximum = _operation("maximum", _larger,
    lambda g, z, x, y: multiply_no_nan(g, equal(x, z) / (equal(x, z) + equal(y, z))),
    lambda g, z, x, y: multiply_no_nan(g, equal(y, z) / (equal(x, z) + equal(y, z))))
reduce_sum = _operation("reduce_sum", _sum, lambda g, y, x: g, reduces=True)
reduce_mean = _operation("reduce_mean", lambda x: _sum(x) / len(x),
    lambda g, y, x: g / (x.shape[0] if x.shape else 1), reduces=True)
reduce_max = _operation("reduce_max", lambda x: reduce(_larger, x),
    lambda g, y, x: multiply_no_nan(g, equal(x, y) / reduce_sum(equal(x, y))), reduces=True)
dot = _operation("dot", lambda x, y: _sum([a * b for a, b in zip(x, y)]),
    lambda g, z, x, y: g * y,
    lambda g, z, x, y: g * x, reduces=True)
_stop_gradient = _operation("stop_gradient", lambda x: x, None)
_scale_gradient = _operation("scale_gradient", lambda x, scale: x,
    lambda g, y, x, scale: multiply_no_nan(g, stop_gradient(scale)), None)
# fmt: on


def stop_gradient(x):
    """Return x unchanged; on the way back it is a constant."""
    return _stop_gradient(x)


def scale_gradient(x, scale):
    """Return x unchanged; on the way back the gradient is multiplied by the scale.

    A scale of 0 gives 0, even where the gradient is inf or nan; below 0 it reverses the gradient.
    It may be a node, but has no gradient itself, at any order: the result doesn't depend on it.
    """
    y = _scale_gradient(x, scale)
    x, scale = y.inputs
    if y.shape != x.shape:
        raise ValueError(
            f"scale_gradient: {scale.name} of shape {scale.shape} would enlarge {x.name} of shape "
            f"{x.shape}; expected a scale of shape () or that of x"
        )
    return y


def softmax(x):
    """Return exp(x) / sum(exp(x)). Subtracting the maximum keeps exp from overflowing."""
    e = exp(subtract(x, stop_gradient(reduce_max(x))))
    return e / reduce_sum(e)


def log_sum_exp(x):
    """Return log(sum(exp(x))). Subtracting the maximum keeps exp from overflowing."""
    largest = stop_gradient(reduce_max(x))
    return largest + log(reduce_sum(exp(subtract(x, largest))))


Node.__neg__ = negative
Node.__add__, Node.__radd__ = add, lambda y, x: add(x, y)
Node.__sub__, Node.__rsub__ = subtract, lambda y, x: subtract(x, y)
Node.__mul__, Node.__rmul__ = multiply, lambda y, x: multiply(x, y)
Node.__truediv__, Node.__rtruediv__ = divide, lambda y, x: divide(x, y)
Node.__pow__, Node.__rpow__ = power, lambda y, x: power(x, y)


def topological_order(nodes, inputs_of=lambda node: node.inputs, known=()):
    """Return the nodes and all that lead to them, each after its inputs; none whose id is known."""
    order, seen, stack = [], set(known), list(nodes)
    while stack:  # a loop: recursion would end after 1,000 nodes, in MicroPython after 150
        node = stack.pop()
        if node is None:  # a mark: the inputs of the node below it are in order
            order.append(stack.pop())
        elif id(node) not in seen:  # MicroPython looks up numbers ten times as fast as nodes
            seen.add(id(node))
            stack += [node, None]
            stack += inputs_of(node)
    return order


def evaluate(nodes, feed=None):
    """Return the value of a node, or the values of a list of nodes, where None has the value None.

    Computes each node once, and only those that are needed. `feed` is a dictionary from nodes,
    variables or others, to values that replace their own.
    """
    wanted = nodes if isinstance(nodes, (list, tuple)) else [nodes]
    needed = [node for node in wanted if node is not None]
    feed, values = feed or {}, {}
    _check_nodes("evaluate", needed)
    _check_nodes("feed", list(feed))
    for node in feed:
        values[id(node)], shape = _checked(feed[node], f"feed of {node.name}")
        if shape != node.shape:
            raise ValueError(f"feed of {node.name}: expected shape {node.shape}, not {shape}")
    for node in topological_order(needed, known=values):
        values[id(node)] = node.rule(*[values[id(x)] for x in node.inputs])
    results = [values.get(id(node)) for node in wanted]
    return results if wanted is nodes else results[0]


def trace(loss):
    """Return (visited, hidden): what the search for contributing inputs finds, back from the loss.

    visited: the nodes to which it comes, each after those that use it.
    hidden: pairs (input, node): it came to the node, which hides this input.
    """
    _check_nodes("loss", [loss])
    if loss.shape:
        raise ValueError(f"loss: expected a scalar, but {loss.name} has shape {loss.shape}")
    visited, hidden = topological_order([loss], _visible_inputs)[::-1], []
    for node in visited:
        if None in node.gradient_rules:
            hidden += [(x, node) for x, rule in zip(node.inputs, node.gradient_rules) if not rule]
    return visited, hidden


def _visible_inputs(node):
    if None not in node.gradient_rules:  # as a rule, and faster
        return node.inputs
    return [x for x, rule in zip(node.inputs, node.gradient_rules) if rule]


def gradients(loss, xs):
    """Add the operations that compute d loss / dx for each x in the list xs; return their nodes.

    None stands for an x to which no path leads from the loss: `why_none` says why.
    """
    return backpropagate(loss, xs)[0]


def backpropagate(loss, xs):
    """Return (gradients, flows). A flow (node, input, gradient) is what comes along one edge."""
    _check_nodes("gradients", xs)
    visited, _ = trace(loss)
    between, totals, flows = {id(x) for x in xs}, {}, []
    for node in reversed(visited):
        for x in _visible_inputs(node):
            if id(x) in between:
                between.add(id(node))  # since it is on a path from the loss to xs
    if id(loss) in between:
        totals[id(loss)] = constant(1)
    for node in visited:
        for x, rule in zip(node.inputs, node.gradient_rules):
            if rule and id(x) in between:
                flow = _reshaped(rule(totals[id(node)], node, *node.inputs), x.shape)
                totals[id(x)] = totals[id(x)] + flow if id(x) in totals else flow
                flows.append((node, x, flow))
    return [totals.get(id(x)) for x in xs], flows


def _reshaped(gradient, shape):
    """Give a gradient the shape of its x: what was repeated is summed, what was summed repeated."""
    if gradient.shape == shape:
        return gradient
    if not shape:
        return reduce_sum(gradient)
    return Node("broadcast_to", [gradient], shape, lambda x: [x] * shape[0], [lambda g, y, x: g])


def why_none(loss, x):
    """Say why the gradient of the loss with respect to x is None: not used, or hidden by what."""
    _check_nodes("why_none", [x])
    visited, hidden = trace(loss)
    if x in visited:
        return f"{loss.name} has a gradient with respect to {x.name}"
    using = {id(x)}
    for node in topological_order([loss]):
        if any(id(each) in using for each in node.inputs):
            using.add(id(node))
    hiding = [node.name for each, node in hidden if id(each) in using]
    if not hiding:
        return f"{loss.name} doesn't use {x.name}"
    return f"{x.name} is hidden from {loss.name} by {' and '.join(hiding)}"


def _check_nodes(name, nodes):
    if not isinstance(nodes, (list, tuple)) or not all(isinstance(node, Node) for node in nodes):
        raise TypeError(f"{name}: expected nodes, not {nodes!r}")
