"""On random graphs the engine agrees with TensorFlow, and with finite differences."""

import numpy as np
import pytest
import tensorflow as tf
from hypothesis import assume, example, given, settings

from gradvalve.graph import evaluate, gradients, reduce_sum, scale_gradient, variable
from tests.graph.random_graphs import (
    OPERATIONS,
    VALVES,
    as_list,
    build,
    build_in_engine,
    graphs,
    inputs,
    size_and_gaps,
    tensorflow,
)

# Directions for second derivatives: those of the sum of all first ones, each with another weight.
WEIGHTS = [1.0, -0.5, [2.0, -1.0, 0.25]]


def weighted(gradients_, total):
    """Return the sum of the gradients that there are, times their weights."""
    pairs = zip(gradients_, WEIGHTS, strict=True)
    return sum(total(g * weight) for g, weight in pairs if g is not None)


def in_engine(steps, at):
    """Return the loss, its gradients and those of their weighted sum, as nodes."""
    xs, loss = build_in_engine(steps, at)
    first = gradients(loss, xs)
    if first == [None] * len(xs):
        return loss, first, first
    return loss, first, gradients(weighted(first, reduce_sum), xs)


def in_tensorflow(steps, at):
    """Return the same, as tensors."""
    xs = [tf.constant(value, tf.float64) for value in at]
    with tf.GradientTape() as outer:
        outer.watch(xs)
        with tf.GradientTape() as inner:
            inner.watch(xs)
            loss = build(tensorflow, steps, xs)
        first = inner.gradient(loss, xs)
        total = weighted(first, tf.reduce_sum)
    if first == [None] * len(xs):
        return loss, first, first
    return loss, first, outer.gradient(total, xs)


def zeros_for_none(gradients_, at):
    return [
        np.zeros_like(x) if g is None else np.asarray(g)
        for g, x in zip(gradients_, at, strict=True)
    ]


@settings(max_examples=300, deadline=None)
@given(graphs(OPERATIONS | VALVES), inputs)
@example([("reduce_max", 1, 1), ("multiply", 1, 2)], (0.0, 1.0, [2.0, 2.0, 1.0]))
def test_random_graphs_have_the_derivatives_that_tensorflow_finds(steps, at):
    loss, first, second = in_engine(steps, at)
    size, gaps = size_and_gaps([loss, *filter(None, first + second)])
    assume(not any(0 < gap < 1e-9 * size for gap in gaps))  # the two may decide differently
    tolerance = {"rtol": 1e-10, "atol": 1e-12 * size}

    expected_loss, expected_first, expected_second = in_tensorflow(steps, at)

    np.testing.assert_allclose(evaluate(loss), expected_loss, **tolerance)
    assert [g is None for g in first] == [g is None for g in expected_first]
    for actual, expected in [(first, expected_first), (second, expected_second)]:
        pairs = zip(zeros_for_none(evaluate(actual), at), zeros_for_none(expected, at), strict=True)
        for pair in pairs:
            np.testing.assert_allclose(*pair, **tolerance)


def finite_differences(node, xs, at, h=1e-5):
    """Return the slope of a node with respect to each number in xs, from values on both sides."""
    slopes = []
    for k, value in enumerate(at):
        for i in range(len(as_list(value))):
            up, down = (fed(node, xs, at, k, i, step) for step in (h, -h))
            slopes.append((up - down) / (2 * h))
    return slopes


def fed(node, xs, at, k, i, step):
    """Return the value of the node with the number i of the value k moved by a step."""
    moved = [list(x) if isinstance(x, list) else x for x in at]
    if isinstance(moved[k], list):
        moved[k][i] += step
    else:
        moved[k] += step
    return evaluate(node, dict(zip(xs, moved, strict=True)))


@settings(max_examples=300, deadline=None)
@given(graphs(OPERATIONS), inputs)
def test_random_graphs_have_the_derivatives_that_finite_differences_find(steps, at):
    xs, loss = build_in_engine(steps, at)
    first = gradients(loss, xs)
    assume(any(first))
    total = weighted(first, reduce_sum)
    second = gradients(total, xs)
    size, gaps = size_and_gaps([loss, total, *filter(None, second)])
    assume(size < 1e3)
    assume(min(gaps, default=1) > 1e-2)  # a decision may change on the way

    for node, found in [(loss, first), (total, second)]:
        found = np.hstack(zeros_for_none(evaluate(found), at))
        np.testing.assert_allclose(found, finite_differences(node, xs, at), atol=1e-5 * size)


def test_finite_differences_disagree_with_a_scaled_gradient_by_design():
    x = variable("x", 3)
    loss = scale_gradient(x, 0.5) ** 2

    (slope,) = finite_differences(loss, [x], [3.0])

    assert slope == pytest.approx(6)
    assert evaluate(gradients(loss, [x])) == [3.0]
