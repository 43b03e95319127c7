"""Graphs to draw: functions that return a loss and the nodes whose gradients are wanted.

CPython and MicroPython both run this very file.
"""

from gradvalve.graph import (
    dot,
    exp,
    log_sum_exp,
    name_counts,
    scale_gradient,
    softmax,
    stop_gradient,
    tanh,
    variable,
)


def unchanged(x):
    return x


def half(x):
    return scale_gradient(x, 0.5)


def reverse(x):
    return scale_gradient(x, -1)


def two_valves(first, second):
    """Return a function that makes z = x * y, where y = x ** 2, with a valve on each path."""

    def build():
        x = variable("x", 2)
        y = (x**2).named("y")
        return (first(x) * second(y)).named("z"), [x]

    return build


def softmax_of_three():
    x = variable("x", [3, 2, 1])
    return dot(softmax(x), [1, 0, 0]).named("loss"), [x]


def log_sum_exp_of_three():
    x = variable("x", [3, 3, 1])
    return log_sum_exp(x).named("loss"), [x]


def unroll(steps):
    """Return a function that makes an unroll of as many steps as MuZero's, with its valves."""

    def build():
        w, root = variable("w", 1.5), variable("h0", 0.5)
        h, total = root, 0
        for k in range(steps):
            h = tanh(w * h)
            target = variable(f"t{k + 1}", 0.3)
            total = total + scale_gradient((h - target) ** 2, 1 / steps)
            h = half(h)
        return total.named("loss"), [w, root]

    return build


def td_error():
    w, reward = variable("w", [0.5, -0.2]), variable("r", 1)
    now, then = dot(w, [1, 0]).named("v"), dot(w, [0, 1])
    return ((reward + 0.9 * stop_gradient(then) - now) ** 2).named("loss"), [w]


def chain(length):
    def build():
        x = y = variable("x", 0.5)
        for _ in range(length):
            y = tanh(y)
        return y.named("loss"), [x]

    return build


def shared(times):
    def build():
        x = y = variable("x", 1)
        for _ in range(times):
            y = y + y * x
        return y.named("loss"), [x]

    return build


def tree(depth):
    """Return a function that makes a sum of products of sums, each of them used once."""

    def build():
        nodes = leaves = [variable(f"x{i}", 1 + i) for i in range(2**depth)]
        for _ in range(depth):
            pairs = [nodes[i : i + 2] for i in range(0, len(nodes), 2)]
            nodes = [pair[0] * pair[1] for pair in pairs]
        return nodes[0].named("loss"), leaves

    return build


def ladder():
    """Make a planar graph whose edges cross if columns keep the order in which nodes are made."""
    a, b, c = variable("a", 1), variable("b", 2), variable("c", 3)
    last = exp(c)
    first = exp(a)
    return ((first + b * 2) * last).named("loss"), [c, a, b]


def unused():
    x, y = variable("x", 2), variable("y", 3)
    return (y * y).named("z"), [x, y]


def itself():
    x = variable("x", 3)
    return x, [x]


def scale_is_a_node():
    x, s = variable("x", 3), variable("s", 0.5)
    return (scale_gradient(x, s) ** 2).named("y"), [x, s]


def overflow():
    x = variable("x", 800)
    return (exp(x) * 0).named("y"), [x]


def hostile():
    x, y = variable("<script>alert(1)</script>", 2), variable("{0} {name} &lt; %s", 1)
    return (x * y * stop_gradient(y)).named('"><img onerror=""'), [x, y]


GRAPHS = [
    ("two paths", two_valves(unchanged, unchanged)),
    ("one stopped", two_valves(unchanged, stop_gradient)),
    ("both stopped", two_valves(stop_gradient, stop_gradient)),
    ("both scaled", two_valves(half, reverse)),
    ("softmax", softmax_of_three),
    ("log_sum_exp", log_sum_exp_of_three),
    ("TD error", td_error),
    ("unroll of 3", unroll(3)),
    ("chain of 20", chain(20)),
    ("shared", shared(4)),
    ("tree", tree(3)),
    ("ladder", ladder),
    ("unused", unused),
    ("itself", itself),
    ("scale is a node", scale_is_a_node),
    ("overflow", overflow),
    ("hostile", hostile),
    ("unroll of 8", unroll(8)),
    ("chain of 100", chain(100)),
    ("shared 60 times", shared(60)),
]


def built(name):
    """Return the loss of a graph, and the nodes wanted."""
    name_counts.clear()
    return dict(GRAPHS)[name]()
