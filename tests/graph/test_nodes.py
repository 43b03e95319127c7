"""Nodes tell what they are."""

import pytest

from gradvalve.graph import (
    backpropagate,
    evaluate,
    exp,
    gradients,
    name_counts,
    reduce_sum,
    variable,
)


@pytest.fixture(autouse=True)
def _fresh_names():
    name_counts.clear()


def test_a_node_is_shown_as_an_assignment():
    x = variable("x", [1, 2])
    y = (x * 3).named("y")

    assert [repr(node) for node in (x, y, y.inputs[1], exp(y))] == [
        "x = variable([1.0, 2.0])",
        "y = multiply(x, constant_1)",
        "constant_1 = constant(3.0)",
        "exp_1 = exp(y)",
    ]


def test_names_are_counted_for_each_operation():
    x = variable("x", 1)

    assert [node.name for node in (x * x, x + x, x * x)] == ["multiply_1", "add_1", "multiply_2"]


def test_names_start_again_after_clearing_the_counts():
    x = variable("x", 1)
    _ = x * x
    name_counts.clear()

    assert (x * x).name == "multiply_1"


def test_nodes_have_an_operation_inputs_and_a_shape():
    x, y = variable("x", 1), variable("y", [1, 2])
    z = x * y

    assert (z.operation, z.inputs, z.shape) == ("multiply", [x, y], (2,))
    assert (x.operation, x.inputs, x.shape) == ("variable", [], ())


def test_what_flows_into_a_node_adds_up_to_its_gradient():
    x = variable("x", 2)
    y = x * x
    loss = reduce_sum(y * x)

    (gradient,), flows = backpropagate(loss, [x])

    assert [(node, into) for node, into, _ in flows] == [
        (loss, loss.inputs[0]),
        (loss.inputs[0], y),
        (loss.inputs[0], x),
        (y, x),
        (y, x),
    ]
    into_x = [flow for _, into, flow in flows if into is x]
    assert evaluate(into_x) == [4.0, 4.0, 4.0]
    assert evaluate(gradient) == 12.0


def test_gradients_are_those_of_backpropagation():
    x, y = variable("x", 2), variable("y", 3)
    loss = x * exp(x)

    assert evaluate(gradients(loss, [x, y])) == evaluate(backpropagate(loss, [x, y])[0])
