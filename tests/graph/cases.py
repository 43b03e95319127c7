"""What the engine promises, as tables that CPython and MicroPython both run: this very file.

The expected numbers come from formulas, not from the engine.
"""
# ruff: noqa: ARG005, RUF005 (the rows of a table take the same arguments; MicroPython has no [*a, b])

import math

from gradvalve.graph import (
    add,
    constant,
    divide,
    dot,
    equal,
    evaluate,
    exp,
    gradients,
    greater,
    log,
    log_sum_exp,
    maximum,
    multiply,
    multiply_no_nan,
    name_counts,
    negative,
    power,
    reduce_max,
    reduce_mean,
    reduce_sum,
    relu,
    scale_gradient,
    sigmoid,
    softmax,
    stop_gradient,
    subtract,
    tanh,
    trace,
    variable,
    why_none,
)

inf, nan = math.inf, math.nan


# What is done with a row: its function, and the values of the arguments, make a list of results.


def values(f, *at):
    """Return the value of f."""
    return flat([evaluate(f(*at))])


def first_order(f, *at):
    """Return the value of f, and its gradients with respect to each argument."""
    xs = [variable("x", value) for value in at]
    y = f(*xs)
    return flat(evaluate([y] + gradients(y, xs)))


def second_order(f, *at):
    """Return the value of f, its gradients, and for each that isn't None its gradients."""
    xs = [variable("x", value) for value in at]
    nodes = [f(*xs)]
    nodes += gradients(nodes[0], xs)
    for g in nodes[1:]:
        if g is not None:
            nodes += gradients(reduce_sum(g), xs)
    return flat(evaluate(nodes))


def flat(results):
    """Return what stands in a list, and in the lists in it, as one list."""
    numbers = []
    for result in results:
        numbers += result if isinstance(result, list) else [result]
    return numbers


def reason(build):
    """Return why the gradient of what is built has none with respect to a."""
    name_counts.clear()
    a, b = variable("a", 2), variable("b", 3)
    return [why_none(build(a, b).named("loss"), a)]


def traced(build):
    """Return the names of what the search comes to, and of what is hidden from it, by what."""
    name_counts.clear()
    a, b = variable("a", 2), variable("b", 3)
    visited, hidden = trace(build(a, b).named("loss"))
    return [node.name for node in visited] + [f"{x.name} by {node.name}" for x, node in hidden]


def error(f):
    """Return the exception that f raises, as text."""
    name_counts.clear()
    try:
        f(variable("x", 2), variable("y", [1, 2]), variable("z", [1, 2, 3]))
    except Exception as exception:
        return [f"{type(exception).__name__}: {exception}"]
    return ["no error"]


# What the rows need.


def weights(x):
    """Return the softmax of a list, by its formula."""
    total = sum([math.exp(each) for each in x])
    return [math.exp(each) / total for each in x]


def repeat(f, x, times):
    for _ in range(times):
        x = f(x)
    return x


def unchanged(x):
    return x


def half(x):
    return scale_gradient(x, 0.5)


def reverse(x):
    return scale_gradient(x, -1)


def shut(x):
    return scale_gradient(x, 0)


def two_valves(first, second):
    return lambda x: first(x) * second(x**2)


def straight_through(x):
    return stop_gradient(greater(x, 0.5)) + (x - stop_gradient(x))


def ladder(after_step, before_step=unchanged):
    """Return h1 + h2 + h3, where h <- w h, as a function of each w and the root."""

    def loss(h, *ws):
        total = 0
        for w in ws:
            h = before_step(h) * w
            total = total + h
            h = after_step(h)
        return total

    return loss


def log_sum_exp_with(inner, outer):
    def f(x):
        m = reduce_max(x)
        return outer(m) + log(reduce_sum(exp(x - inner(m))))

    return f


def unroll(steps):
    """Return the loss of a small recurrent network as a function of its weight."""

    def loss(w):
        h, total = 0.5, 0
        for _ in range(steps):
            h = tanh(w * h + 0.1)
            total = total + scale_gradient((h - 0.3) ** 2, 1 / steps)
            h = half(h)
        return total

    return loss


def fifth_derivative(x):
    return repeat(lambda y: gradients(y, [x])[0], x**6, 5)


e, s, t = math.exp(0.2), 1 / (1 + math.exp(-0.2)), math.tanh(0.2)
ln2 = math.log(2)
p, lnp = 1.5**2.5, math.log(1.5)
w = weights([1, 2, 4])
tied = weights([3, 3, 1])
lse = math.log(math.exp(3) + math.exp(3) + math.exp(1))
awkward = [inf, -inf, nan, -0.0, 5e-324, 1.7976931348623157e308, 0.1]
NUMBERS = "expected a number or a flat list of numbers"
LENGTHS = "expected scalars or vectors of one length, not"

# Table: how it is run, and its rows: a name, a function, its arguments, the expected results.

FIRST_DERIVATIVES = [
    ("relu at 0", relu, [0], [0, 0]),
    ("maximum, left", maximum, [3, 2], [3, 1, 0]),
    ("maximum, right", maximum, [2, 3], [3, 0, 1]),
    ("maximum, tie", maximum, [3, 3], [3, 0.5, 0.5]),
    ("maximum of one node twice", lambda x: maximum(x, x), [3], [3, 1]),
    ("maximum with 0, tie", lambda x: maximum(x, 0), [0], [0, 0.5]),
    ("comparisons", lambda x, y: greater(x, y) + equal(x, y), [3, 2], [1, None, None]),
    ("0 to the power of 0", power, [0, 0], [1, 0, -inf]),
    ("0 to the power of 2", power, [0, 2], [0, 0, 0]),
    ("root of 0", power, [0, 0.5], [0, inf, 0]),
    ("number + x", lambda x: 2 + x, [3], [5, 1]),
    ("number - x", lambda x: 2 - x, [3], [-1, -1]),
    ("number * x", lambda x: 2 * x, [3], [6, 2]),
    ("number / x", lambda x: 2 / x, [4], [1 / 2, -1 / 8]),
    ("number ** x", lambda x: 2**x, [3], [8, 8 * ln2]),
    ("x and numbers", lambda x: ((x + 1) * 6 - 4) / 5, [3], [4, 6 / 5]),
    ("-x", lambda x: -x, [3], [-3, -1]),
    ("list * x", lambda x: reduce_sum([1, 2] * x), [[3, 4]], [11, 1, 2]),
    ("the loss itself", unchanged, [3], [3, 1]),
    ("fifth derivative", fifth_derivative, [2], [720 * 2, 720]),
    ("sum", reduce_sum, [[1, 2, 4]], [7, 1, 1, 1]),
    ("mean", reduce_mean, [[1, 2, 6]], [3, 1 / 3, 1 / 3, 1 / 3]),
    ("max", reduce_max, [[1, 4, 2]], [4, 0, 1, 0]),
    ("max, two largest", reduce_max, [[4, 1, 4]], [4, 0.5, 0, 0.5]),
    ("max, all equal", reduce_max, [[2, 2, 2, 2]], [2, 0.25, 0.25, 0.25, 0.25]),
    ("dot", dot, [[1, 2], [3, 4]], [11, 3, 4, 1, 2]),
    ("sum of a scalar", reduce_sum, [3], [3, 1]),
    ("mean of a scalar", reduce_mean, [3], [3, 1]),
    ("max of a scalar", reduce_max, [3], [3, 1]),
    ("scalar + vector", lambda x, y: reduce_sum(x + y), [2, [3, 4]], [11, 2, 1, 1]),
    ("vector - scalar", lambda x, y: dot(y - x, [1, 2]), [2, [3, 4]], [5, -3, 1, 2]),
    ("scalar * vector", lambda x, y: reduce_sum(x * y), [2, [3, 4]], [14, 7, 2, 2]),
    ("vector / scalar", lambda x, y: reduce_sum(y / x), [2, [3, 4]], [3.5, -1.75, 0.5, 0.5]),
    ("vector ** scalar", lambda x, y: reduce_sum(y**x), [2, [1, 2]], [5, 4 * ln2, 2, 4]),
    ("scalar . vector", dot, [2, [3, 4]], [14, 7, 2, 2]),
    ("scalar twice", lambda x: reduce_sum([1, 2] * x + x), [3], [15, 5]),
    ("exp of a vector", lambda x: reduce_sum(exp(x)), [[0.2, 0]], [e + 1, e, 1]),
    (
        "softmax",
        lambda x: dot(softmax(x), [0, 1, 0]),
        [[1, 2, 4]],
        [w[1], -w[0] * w[1], w[1] - w[1] ** 2, -w[2] * w[1]],
    ),
    ("softmax of a scalar", softmax, [3], [1, 0]),
    ("log_sum_exp", log_sum_exp, [[3, 3, 1]], [lse] + tied),
    ("log_sum_exp of large numbers", log_sum_exp, [[1000, 1000]], [1000 + ln2, 0.5, 0.5]),
    (
        "10,000 nodes in a chain",
        lambda x: repeat(lambda h: (h + h) / 2, x, 5000),
        [0.75],
        [0.75, 1],
    ),
    ("2 ** 200 paths", lambda x: repeat(lambda h: h + h, x, 200), [1], [2.0**200, 2.0**200]),
]

SECOND_DERIVATIVES = [
    ("add", add, [2, 3], [5, 1, 1, None, None, None, None]),
    ("subtract", subtract, [2, 3], [-1, 1, -1, None, None, None, None]),
    ("negative", negative, [2], [-2, -1, None]),
    ("multiply", multiply, [2, 3], [6, 3, 2, None, 1, 1, None]),
    ("multiply_no_nan", multiply_no_nan, [2, 3], [6, 3, 2, None, 1, 1, None]),
    ("x * x", lambda x: x * x, [3], [9, 6, 2]),
    ("divide", divide, [3, 2], [3 / 2, 1 / 2, -3 / 4, None, -1 / 4, -1 / 4, 6 / 8]),
    (
        "power",
        power,
        [1.5, 2.5],
        [p, 2.5 * p / 1.5, p * lnp]
        + [2.5 * 1.5 * p / 1.5**2, p / 1.5 * (1 + 2.5 * lnp)]
        + [p / 1.5 * (1 + 2.5 * lnp), p * lnp**2],
    ),
    ("cube", lambda x: x**3, [-2], [-8, 12, -12]),
    ("square at 0", lambda x: x**2, [0], [0, 0, 2]),
    ("cube at 0", lambda x: x**3, [0], [0, 0, 0]),
    ("reciprocal", lambda x: x**-1, [2], [1 / 2, -1 / 4, 2 / 8]),
    ("exp", exp, [0.2], [e, e, e]),
    ("log", log, [2], [ln2, 1 / 2, -1 / 4]),
    ("tanh", tanh, [0.2], [t, 1 - t**2, -2 * t * (1 - t**2)]),
    ("sigmoid", sigmoid, [0.2], [s, s * (1 - s), s * (1 - s) * (1 - 2 * s)]),
    ("relu above 0", relu, [0.5], [0.5, 1, None]),
    ("relu below 0", relu, [-2], [0, 0, None]),
    ("sum", reduce_sum, [[1, 2]], [3, 1, 1, None]),
    ("max", reduce_max, [[1, 2]], [2, 0, 1, None]),
    ("dot of one vector", lambda x: dot(x, x), [[1, 2]], [5, 2, 4, 2, 2]),
    ("log_sum_exp", log_sum_exp, [[3, 3, 1]], [lse] + tied + [0, 0, 0]),
]

VALVES_FIRST = [
    ("a stopped factor is a constant", lambda x: x * stop_gradient(x), [3], [9, 3]),
    ("None where all is stopped", lambda x: stop_gradient(x) * 3, [2], [6, None]),
    ("one of two stopped", lambda x, y: x * stop_gradient(y), [2, 3], [6, 3, None]),
    ("exp(x - stop(x))", lambda x: exp(x - stop_gradient(x)), [0.7], [1, 1]),
    ("straight-through", straight_through, [0.7], [1, 1]),
    ("stop by keyword", lambda x: stop_gradient(x=x), [3], [3, None]),
    ("scale", lambda x: half(x) ** 2, [3], [9, 3]),
    ("scale by keyword", lambda x: scale_gradient(x=x, scale=0.5), [3], [3, 0.5]),
    ("scale twice", lambda x: half(half(x)), [3], [3, 0.25]),
    ("reversal", lambda x: reverse(x) ** 2, [3], [9, -6]),
    ("0 isn't None", shut, [3], [3, 0]),
    ("0 stops inf", lambda x: shut(x) * inf, [3], [inf, 0]),
    ("0 stops nan", lambda x: shut(x) * nan, [3], [nan, 0]),
    ("-0 stops inf", lambda x: scale_gradient(x, -0.0) * inf, [3], [inf, 0]),
    ("0.5 lets inf pass", lambda x: half(x) * -inf, [3], [-inf, -inf]),
    ("nan makes nan", lambda x: scale_gradient(x, nan), [3], [3, nan]),
    ("a scale for a vector", lambda x: reduce_sum(half(x)), [[1, 2]], [3, 0.5, 0.5]),
    ("a list of scales", lambda x: dot(scale_gradient(x, [2, -1]), [5, 6]), [[1, 2]], [17, 10, -6]),
    ("0 in a list", lambda x: dot(scale_gradient(x, [1, 0]), [2, inf]), [[1, 2]], [inf, 2, 0]),
    ("a node", lambda x, s: scale_gradient(x, s) ** 2, [3, 0.5], [9, 3, None]),
    ("two valves, open", two_valves(unchanged, unchanged), [2], [8, 4 + 8]),
    ("two valves, scaled", two_valves(half, reverse), [2], [8, 4 * 0.5 - 8]),
    ("two valves, one stopped", two_valves(stop_gradient, unchanged), [2], [8, 8]),
    ("two valves, both stopped", two_valves(stop_gradient, stop_gradient), [2], [8, None]),
    ("two valves, both by 0", two_valves(shut, shut), [2], [8, 0]),
    ("ladder without scaling", ladder(unchanged), [1, 2, 2, 2], [14, 14, 7, 6, 4]),
    ("ladder, after the step", ladder(half), [1, 2, 2, 2], [14, 6, 3, 4, 4]),
    ("ladder, before the step", ladder(unchanged, half), [1, 2, 2, 2], [14, 3, 3, 4, 4]),
    ("stop neither maximum", log_sum_exp_with(unchanged, unchanged), [[3, 3, 1]], [lse] + tied),
    ("stop both", log_sum_exp_with(stop_gradient, stop_gradient), [[3, 3, 1]], [lse] + tied),
    (
        "stop only the outer",
        log_sum_exp_with(unchanged, stop_gradient),
        [[3, 3, 1]],
        [lse, tied[0] - 0.5, tied[1] - 0.5, tied[2]],
    ),
    (
        "stop only the inner",
        log_sum_exp_with(stop_gradient, unchanged),
        [[3, 3, 1]],
        [lse, tied[0] + 0.5, tied[1] + 0.5, tied[2]],
    ),
]

VALVES_SECOND = [
    ("stopped at every order", lambda x: stop_gradient(x) * x**2, [3], [27, 18, 6]),
    ("scaled at every order", lambda x: half(x) ** 3, [1.5], [3.375, 3.375, 0.25 * 6 * 1.5]),
    ("a node", lambda x, s: scale_gradient(x, s) ** 2, [3, 0.5], [9, 3, None, 0.5, None]),
    (
        "a node that is a factor too",
        lambda x, s: scale_gradient(x, s) * s,
        [3, 0.5],
        [1.5, 0.25, 3, None, 0.5, 0.5, None],
    ),
]

# Where Python raises, or does so in one of the interpreters only, or is easily led astray.
SPECIAL_VALUES = [
    ("exp", exp, [[800, inf, -inf, nan, -800]], [inf, inf, 0, nan, 0]),
    (
        "exp, last finite",
        exp,
        [[709.782712893384, 709.7827128933841]],
        [1.797693134862273e308, inf],
    ),
    ("exp, last above 0", exp, [[-745, -746]], [5e-324, 0]),
    ("log", log, [[0, -0.0, -1, inf, -inf, nan]], [-inf, -inf, nan, inf, nan, nan]),
    ("x / 0", divide, [[1, -1, 0, inf, nan], 0], [inf, -inf, nan, inf, nan]),
    ("x / -0", divide, [[1, -1, 0, inf, nan], -0.0], [-inf, inf, nan, -inf, nan]),
    ("x / inf", divide, [[1, -1, inf], inf], [0, -0.0, nan]),
    ("division overflows", divide, [1e308, -1e-10], [-inf]),
    ("x * inf", multiply, [[2, -2, 0, nan], inf], [inf, -inf, nan, nan]),
    ("multiplication overflows", multiply, [1e308, [10, -10]], [inf, -inf]),
    ("x * 0, no nan", multiply_no_nan, [[inf, nan], [0, -0.0]], [0, 0]),
    ("0 * inf, no nan only on the right", multiply_no_nan, [0, inf], [nan]),
    ("addition", add, [[inf, 1e308, -0.0], [-inf, 1e308, 0]], [nan, inf, 0]),
    ("power overflows", power, [[1e200, -1e200, -1e200], [2, 3, 2]], [inf, -inf, inf]),
    ("power underflows", power, [[1e-200, -1e-200], [2, 3]], [0, -0.0]),
    ("0 to negative powers", power, [0, [-1, -2, -0.5]], [inf, inf, inf]),
    ("-0 to negative powers", power, [-0.0, [-1, -2, -0.5]], [-inf, inf, inf]),
    ("roots", power, [[-8, -0.0, -inf], [1 / 3, 0.5, 0.5]], [nan, 0, inf]),
    ("powers that are 1", power, [[nan, 1, -1, 0, inf], [0, nan, inf, 0, 0]], [1, 1, 1, 1, 1]),
    ("powers of inf", power, [[inf, -inf, -inf], [-1, 3, -3]], [0, -inf, -0.0]),
    ("powers to inf", power, [[0, 2, 0.5], -inf], [inf, 0, inf]),
    ("tanh", tanh, [[inf, -inf, 800, nan, -0.0]], [1, -1, 1, nan, -0.0]),
    ("sigmoid", sigmoid, [[inf, -inf, 800, -800, nan]], [1, 0, 1, 0, nan]),
    ("relu", relu, [[inf, -inf, nan, -0.0]], [inf, 0, nan, 0]),
    ("maximum", maximum, [[nan, 1, inf, -inf], [1, nan, -inf, -inf]], [nan, nan, inf, -inf]),
    ("max, nan last", reduce_max, [[1, nan]], [nan]),
    ("max, nan first", reduce_max, [[nan, 1]], [nan]),
    ("equal", equal, [[nan, inf, 0], [nan, inf, -0.0]], [0, 1, 1]),
    ("greater", greater, [[nan, inf, 1], 1], [0, 1, 0]),
    ("sum rounds at each addition", reduce_sum, [[1e16, 1, -1e16]], [0]),
    ("sum of -0", reduce_sum, [[-0.0]], [-0.0]),
    ("mean", reduce_mean, [[inf, -inf]], [nan]),
    ("dot", dot, [[0, 1], [inf, 1]], [nan]),
    ("stop changes nothing", stop_gradient, [awkward], awkward),
    ("scale changes nothing", scale_gradient, [awkward, 0.3], awkward),
    ("softmax of large numbers", softmax, [[1000, 1000]], [0.5, 0.5]),
    ("softmax without the maximum", lambda x: exp(x) / reduce_sum(exp(x)), [[800, 0]], [nan, 0]),
    ("softmax of -inf alone", softmax, [[-inf, -inf]], [nan, nan]),
]

SPECIAL_GRADIENTS = [
    ("log of 0", log, [0], [-inf, inf]),
    ("exp overflows", exp, [800], [inf, inf]),
    ("1 / 0", lambda x: 1 / x, [0], [inf, -inf]),
    ("saturated", lambda x, y: tanh(x) + sigmoid(y), [inf, -800], [1, 0, 0]),
    ("0 * inf", lambda x: 0 * log(x), [0], [nan, nan]),
    ("relu is shut for inf", lambda x: relu(x) * inf, [-1], [nan, 0]),
    ("maximum is shut for inf", lambda x, y: maximum(x, y) * inf, [1, 2], [inf, 0, inf]),
    ("max is shut for inf", lambda x: reduce_max(x) * inf, [[1, 2]], [inf, 0, inf]),
    ("maximum of nan", maximum, [nan, 1], [nan, nan, nan]),
]

REASONS = [
    ("not used", lambda a, b: b * 2, [], ["loss doesn't use a"]),
    ("hidden", lambda a, b: stop_gradient(a) * b, [], ["a is hidden from loss by stop_gradient_1"]),
    (
        "far behind",
        lambda a, b: b * stop_gradient(exp(-a)),
        [],
        ["a is hidden from loss by stop_gradient_1"],
    ),
    (
        "hidden twice",
        lambda a, b: stop_gradient(a) * b - stop_gradient(a * a).named("target"),
        [],
        ["a is hidden from loss by stop_gradient_1 and target"],
    ),
    (
        "a stop behind a stop",
        lambda a, b: b * stop_gradient(stop_gradient(a)),
        [],
        ["a is hidden from loss by stop_gradient_2"],
    ),
    (
        "a stop of something else",
        lambda a, b: stop_gradient(b) * stop_gradient(a),
        [],
        ["a is hidden from loss by stop_gradient_2"],
    ),
    ("in a scale", lambda a, b: scale_gradient(b, a * 2), [], ["a is hidden from loss by loss"]),
    ("compared", lambda a, b: b * greater(a, 0), [], ["a is hidden from loss by greater_1"]),
    ("not None", lambda a, b: a * stop_gradient(a), [], ["loss has a gradient with respect to a"]),
]

TRACES = [
    ("all visible", lambda a, b: exp(a) * b, [], ["loss", "exp_1", "a", "b"]),
    ("once each", lambda a, b: a * a + a, [], ["loss", "multiply_1", "a"]),
    (
        "hidden",
        lambda a, b: b * stop_gradient(exp(a)),
        [],
        ["loss", "b", "stop_gradient_1", "exp_1 by stop_gradient_1"],
    ),
    (
        "hidden on one of two paths",
        lambda a, b: a * stop_gradient(a),
        [],
        ["loss", "a", "stop_gradient_1", "a by stop_gradient_1"],
    ),
    ("a scale", scale_gradient, [], ["loss", "a", "b by loss"]),
]

# Of x = 2, y = [1, 2] and z = [1, 2, 3].
ERRORS = [
    (
        "text",
        lambda x, y, z: variable("w", "1"),
        [],
        [f"TypeError: variable 'w': {NUMBERS}, not '1'"],
    ),
    (
        "no name",
        lambda x, y, z: variable(1.5, "w"),
        [],
        [f"TypeError: variable 1.5: {NUMBERS}, not 'w'"],
    ),
    (
        "number as name",
        lambda x, y, z: (x * y).named(3),
        [],
        ["TypeError: multiply_1: expected a string as name, not 3"],
    ),
    (
        "nested",
        lambda x, y, z: constant([1, [2]]),
        [],
        [f"TypeError: constant: {NUMBERS}, not [1, [2]]"],
    ),
    ("empty", lambda x, y, z: constant([]), [], [f"TypeError: constant: {NUMBERS}, not []"]),
    (
        "boolean",
        lambda x, y, z: scale_gradient(x, True),
        [],
        [f"TypeError: scale_gradient: {NUMBERS}, not True"],
    ),
    ("complex", lambda x, y, z: x * 1j, [], [f"TypeError: multiply: {NUMBERS}, not 1j"]),
    (
        "list of nodes",
        lambda x, y, z: 1 + exp([x]),
        [],
        [f"TypeError: exp: {NUMBERS}, not [x = variable(2.0)]"],
    ),
    (
        "two lengths",
        lambda x, y, z: y * z,
        [],
        [f"ValueError: multiply: {LENGTHS} y of shape (2,) and z of shape (3,)"],
    ),
    (
        "two lengths, computed",
        lambda x, y, z: dot(exp(y), z),
        [],
        [f"ValueError: dot: {LENGTHS} exp_1 of shape (2,) and z of shape (3,)"],
    ),
    (
        "too many inputs",
        lambda x, y, z: maximum(x, y, z),
        [],
        ["TypeError: maximum: expected 2 inputs, not 3"],
    ),
    (
        "enlarging scale",
        lambda x, y, z: scale_gradient(x, y),
        [],
        [
            "ValueError: scale_gradient: y of shape (2,) would enlarge x of shape (); "
            "expected a scale of shape () or that of x"
        ],
    ),
    (
        "scale of another length",
        lambda x, y, z: scale_gradient(y, z),
        [],
        [f"ValueError: scale_gradient: {LENGTHS} y of shape (2,) and z of shape (3,)"],
    ),
    (
        "vector as loss",
        lambda x, y, z: gradients(x * y, [x]),
        [],
        ["ValueError: loss: expected a scalar, but multiply_1 has shape (2,)"],
    ),
    (
        "number as loss",
        lambda x, y, z: gradients(2, [x]),
        [],
        ["TypeError: loss: expected nodes, not [2]"],
    ),
    (
        "x, not [x]",
        lambda x, y, z: gradients(x, x),
        [],
        ["TypeError: gradients: expected nodes, not x = variable(2.0)"],
    ),
    (
        "number as x",
        lambda x, y, z: gradients(x, [x, 2]),
        [],
        ["TypeError: gradients: expected nodes, not [x = variable(2.0), 2]"],
    ),
    (
        "why_none of a number",
        lambda x, y, z: why_none(x, 2),
        [],
        ["TypeError: why_none: expected nodes, not [2]"],
    ),
    (
        "evaluate a number",
        lambda x, y, z: evaluate([x, 2]),
        [],
        ["TypeError: evaluate: expected nodes, not [x = variable(2.0), 2]"],
    ),
    (
        "feed a name",
        lambda x, y, z: evaluate(x, {"x": 2}),
        [],
        ["TypeError: feed: expected nodes, not ['x']"],
    ),
    (
        "feed text",
        lambda x, y, z: evaluate(x, {x: "2"}),
        [],
        [f"TypeError: feed of x: {NUMBERS}, not '2'"],
    ),
    (
        "feed another shape",
        lambda x, y, z: evaluate(x, {x: [1, 2]}),
        [],
        ["ValueError: feed of x: expected shape (), not (2,)"],
    ),
]

# Nothing is expected of these but that the interpreters agree.
COMPARED = [
    ("unroll", unroll(50), [0.9], None),
    ("softmax", lambda x: dot(softmax(x), [0, 1, 0]), [[1, 2, 4]], None),
    ("log_sum_exp", lambda x: log_sum_exp(x) ** 2, [[1, 2, 4]], None),
]


# Each table is run by a function of the above; a row is a name, a function, its arguments and the
# results that it must have.
TABLES = {
    "FIRST_DERIVATIVES": (first_order, FIRST_DERIVATIVES),
    "SECOND_DERIVATIVES": (second_order, SECOND_DERIVATIVES),
    "VALVES_FIRST": (first_order, VALVES_FIRST),
    "VALVES_SECOND": (second_order, VALVES_SECOND),
    "SPECIAL_VALUES": (values, SPECIAL_VALUES),
    "SPECIAL_GRADIENTS": (first_order, SPECIAL_GRADIENTS),
    "REASONS": (reason, REASONS),
    "TRACES": (traced, TRACES),
    "ERRORS": (error, ERRORS),
    "COMPARED": (second_order, COMPARED),
}


def run(table, row):
    """Return the results of a row of a table."""
    function = TABLES[table][0]
    return function(row[1], *row[2])
