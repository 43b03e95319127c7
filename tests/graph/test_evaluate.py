"""Values are computed once, only where needed, and can be fed."""

import pytest

from gradvalve.graph import constant, evaluate, exp, gradients, stop_gradient, tanh, variable


def counted(node, counts):
    """Count how often the rule of the node is called."""
    rule = node.rule

    def counting(*values):
        counts[node.name] = counts.get(node.name, 0) + 1
        return rule(*values)

    node.rule = counting
    return node


def test_each_needed_node_is_computed_once():
    counts = {}
    x = counted(variable("x", 1), counts)
    y = counted(exp(x).named("y"), counts)
    z = counted((y * y + y).named("z"), counts)
    counted(tanh(y).named("not needed"), counts)

    evaluate([z, y, z])

    assert counts == {"x": 1, "y": 1, "z": 1}


def test_a_node_gives_a_value_and_a_list_gives_a_list():
    x = variable("x", 2)

    assert evaluate(x) == 2.0
    assert evaluate([x]) == [2.0]
    assert evaluate((x, x)) == [2.0, 2.0]
    assert evaluate([]) == []


def test_the_value_of_none_is_none():
    x = variable("x", 2)

    assert evaluate([None, x]) == [None, 2.0]
    assert evaluate(None) is None


@pytest.mark.parametrize("value", [3, 3.0])
def test_a_fed_value_replaces_that_of_a_variable_for_this_time(value):
    x = variable("x", 2)

    assert evaluate(x * x, {x: value}) == 9.0
    assert evaluate(x * x) == 4.0


def test_a_node_in_the_midst_can_be_fed_and_is_not_computed():
    counts = {}
    x = counted(variable("x", 1), counts)
    y = counted(exp(x).named("y"), counts)

    assert evaluate(y + 1, {y: 5}) == 6.0
    assert counts == {}


def test_a_fed_node_is_its_own_value():
    x = variable("x", [1, 2])

    assert evaluate(x, {x: (3, 4)}) == [3.0, 4.0]


def test_changing_a_result_changes_no_graph():
    x, c = variable("x", [1, 2]), constant([3, 4])

    for result in evaluate([x, c, stop_gradient(x)]):
        result[0] = 99

    assert evaluate([x, c]) == [[1.0, 2.0], [3.0, 4.0]]


def test_changing_a_list_after_giving_it_changes_no_graph():
    numbers = [1, 2]
    x = variable("x", numbers)

    numbers[0] = 99

    assert evaluate(x) == [1.0, 2.0]


def test_gradients_can_be_fed_as_well():
    x = variable("x", 2)
    (g,) = gradients(x**3, [x])

    assert evaluate(g, {x: 5}) == 75.0
