"""On programs put together at random, explain_gradient agrees with TensorFlow's own tape."""

import tensorflow as tf
from hypothesis import given, settings
from hypothesis import strategies as st

from gradvalve.explain import explain_gradient
from gradvalve.tensorflow import scale_gradient

# A program is a list of steps; each takes two of the values that there are, and makes another.
STEPS = {
    "multiply": lambda a, b: a * b,
    "stop": lambda a, b: tf.stop_gradient(a) + b,
    "scale": lambda a, b: scale_gradient(a, 0.5) * b,
    "round": lambda a, b: tf.round(a) * b,
    "cast": lambda a, b: tf.cast(tf.cast(a, tf.int32), tf.float32) - b,
    "compare": lambda a, b: tf.cast(a > b, tf.float32),
    "where": lambda a, b: tf.where(a > b, a, 2.0),
    "pick": lambda a, b: tf.gather(tf.stack([a, b]), 1),
    "reduce": lambda a, b: tf.reduce_max(tf.stack([a, tf.floor(b)])),
    "constant": lambda a, b: tf.ones_like(a + b),
}
CONTROL = {
    "function": tf.function(lambda a, b: tf.stop_gradient(a) * b),
    "branch": lambda a, b: tf.cond(a > b, lambda: a * b, lambda: tf.stop_gradient(a)),
    "stopped branch": lambda a, b: tf.cond(a > 0, lambda: tf.round(b), lambda: 2.0),
    "loop": lambda a, b: tf.while_loop(
        lambda i, _x, _y, _z: i < 2,
        lambda i, x, y, z: (i + 1, x * y, tf.stop_gradient(z), tf.identity(a)),
        (0, a, b, b),
    )[1],
    "blind loop": lambda a, b: tf.while_loop(
        lambda i, _: i < a, lambda i, y: (i + 1, tf.floor(y)), (0.0, b)
    )[0],
}
INPUTS = [1.5, -0.5, 2.5]


def programs(steps):
    place = st.integers(0, 10)
    return st.lists(st.tuples(st.sampled_from(sorted(steps)), place, place), min_size=1, max_size=7)


def as_function(program, steps):
    def function(x, y, z):
        values = [x, y, z]
        for name, i, j in program:
            values.append(steps[name](values[i % len(values)], values[j % len(values)]))
        return values[-1]

    return function


def gradients(function):
    inputs = [tf.constant(x) for x in INPUTS]
    with tf.GradientTape() as tape:
        tape.watch(inputs)
        result = function(*inputs)
    return tape.gradient(result, inputs)


@settings(max_examples=60, deadline=None, derandomize=True)
@given(programs(STEPS))
def test_without_control_flow_the_tape_finds_what_is_reached(program):
    function = as_function(program, STEPS)

    found = [row.status == "reached" for row in explain_gradient(function, *INPUTS)]
    assert found == [gradient is not None for gradient in gradients(function)]


@settings(max_examples=40, deadline=None, derandomize=True)
@given(programs(STEPS | CONTROL))
def test_with_control_flow_a_compiled_tape_finds_more_but_only_zeros(program):
    function = as_function(program, STEPS | CONTROL)
    rows = explain_gradient(function, *INPUTS)

    for row, gradient in zip(rows, tf.function(lambda: gradients(function))(), strict=True):
        if row.status == "reached":
            assert gradient is not None
        else:
            assert gradient is None or gradient == 0


@settings(max_examples=40, deadline=None, derandomize=True)
@given(programs(STEPS | CONTROL))
def test_what_is_hidden_has_a_cause_and_what_is_unused_has_no_influence(program):
    function = as_function(program, STEPS | CONTROL)

    for i, row in enumerate(explain_gradient(function, *INPUTS)):
        assert bool(row.causes) == (row.status == "hidden")
        if row.status == "unused":
            others = [9.5 if i == j else x for j, x in enumerate(INPUTS)]
            assert function(*map(tf.constant, others)) == function(*map(tf.constant, INPUTS))
