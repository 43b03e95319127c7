"""The work grows with the number of nodes, not with the number of paths."""

import pytest

from gradvalve.graph import (
    dot,
    evaluate,
    exp,
    gradients,
    name_counts,
    reduce_sum,
    scale_gradient,
    stop_gradient,
    tanh,
    topological_order,
    trace,
    variable,
    why_none,
)


def chain(x, n):
    for _ in range(n):
        x = tanh(x)
    return x


def unroll(x, n):
    """One weight, used at each step, with a valve on the state."""
    h = 0.5
    for _ in range(n):
        h = scale_gradient(tanh(x * h), 0.5)
    return h


def tree(x, n):
    """A balanced tree of n leaves."""
    level = [x * k for k in range(1, n + 1)]
    while len(level) > 1:
        pairs = zip(level[::2], level[1::2], strict=False)
        level = [a * b for a, b in pairs] + level[len(level) // 2 * 2 :]
    return level[0]


def shared(x, n):
    """2 ** n paths."""
    for _ in range(n):
        x = x * x
    return x


def vectors(x, n):
    """Broadcasting and summing at each step."""
    for _ in range(n):
        x = dot(x * [1, 2], [3, 4])
    return x


def all_pairs(x, n):
    """Each node is the sum of all before it: the edges count, n²/2 of them."""
    nodes = [x]
    for _ in range(n):
        total = nodes[0]
        for node in nodes[1:]:
            total = total + node
        nodes.append(total)
    return nodes[-1]


each_shape = pytest.mark.parametrize("graph", [chain, unroll, tree, shared, vectors])
SIZES = [64, 128, 256]


def made():
    return sum(name_counts.values())


def counts(graph, n):
    """Return how many nodes the graph has, are visited, added, added for second order, computed."""
    x = variable("x", 0.5)
    before = made()
    loss = graph(x, n)
    built = made() - before
    visited, _ = trace(loss)
    before = made()
    (g,) = gradients(loss, [x])
    added = made() - before
    before = made()
    (g2,) = gradients(g, [x])
    added_by_second = made() - before
    return built, len(visited), added, added_by_second, len(topological_order([loss, g, g2]))


@each_shape
def test_twice_the_graph_is_twice_the_work(graph):
    small, middle, large = (counts(graph, n) for n in SIZES)

    growth = [b - a for a, b in zip(small, middle, strict=True)]
    assert [b - a for a, b in zip(middle, large, strict=True)] == [2 * each for each in growth]


def test_quadratic_work_would_be_noticed():
    small, middle, large = (counts(all_pairs, n) for n in [8, 16, 32])

    assert large[1] - middle[1] > 3 * (middle[1] - small[1])


@pytest.mark.parametrize(
    ("graph", "most"),
    [(chain, 4), (unroll, 3), (tree, 2), (shared, 3), (vectors, 2)],
)
def test_few_operations_are_added_for_each_node(graph, most):
    built, visited, added, *_ = counts(graph, 256)

    assert visited <= built + 1
    assert added <= most * built + 1


def test_a_graph_visits_each_node_once():
    visited, _ = trace(shared(variable("x", 1), 50))

    assert len(visited) == len(set(visited)) == 51


def test_nothing_is_added_for_what_does_not_lead_to_x():
    x, y = variable("x", 1), variable("y", 1)
    small, large = x * y, x * chain(y, 100)

    added = []
    for loss in (small, large):
        before = made()
        gradients(loss, [x])
        added.append(made() - before)

    assert added[0] == added[1]


def test_nothing_is_added_for_what_is_hidden():
    x = variable("x", 1)
    loss = stop_gradient(chain(x, 100)) * 2
    before = made()

    assert gradients(loss, [x]) == [None]
    assert made() == before


def test_the_search_does_not_go_behind_a_stop():
    x = variable("x", 1)
    visited, _ = trace(stop_gradient(chain(x, 100)) * x)

    assert len(visited) == 3


def test_evaluating_a_part_leaves_the_rest_alone():
    x = variable("x", 1)
    y = exp(x)
    chain(y, 100)

    assert len(topological_order([y])) == 2


def test_every_walk_manages_10_000_nodes():
    x, y = variable("x", [1e-3, 1e-4]), variable("y", 1)
    loss = reduce_sum(stop_gradient(chain(y, 10_000)) + chain(x, 10_000))

    assert len(trace(loss)[0]) == 10_004
    assert why_none(loss, y) == f"y is hidden from {loss.name} by {loss.inputs[0].inputs[0].name}"
    assert evaluate(gradients(loss, [x])[0])[0] > 0
    assert "reduce_sum" in repr(loss)
