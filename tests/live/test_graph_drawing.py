"""Pictures of graphs show the whole graph, all of its gradients, and nothing twice."""

import functools
import itertools
import json
import re
import subprocess
import sys
from collections import Counter
from pathlib import Path

import pytest

from gradvalve import drawing, graph, graph_drawing, graph_layout
from gradvalve.graph_drawing import WORDS, picture
from tests.live import graphs_to_draw
from tests.live.graphs_to_draw import GRAPHS, built, chain, shared, two_valves, unchanged, unroll

NAMES = [name for name, _ in GRAPHS]
COARSE = ["unroll of 8", "chain of 100", "shared 60 times"]
FINE = [name for name in NAMES if name not in COARSE]
PLANAR = ["two paths", "both scaled", "TD error", "tree", "ladder", "chain of 20", "unused"]
ALLOWED = {"div", "svg", "p", "path", "rect", "text"}


def drawn(loss, wrt, number=drawing.number, label=str):
    return picture(loss, wrt, WORDS, number, label)


@functools.cache
def drawing_of(name):
    return drawn(*built(name))


def parts(tree, tag):
    """Return the attributes and children of all parts with this tag."""
    if isinstance(tree, str):
        return []
    own = [tree[1:]] if tree[0] == tag else []
    return own + [part for child in tree[2] for part in parts(child, tag)]


def of_class(tree, tag, kind):
    return [part for part in parts(tree, tag) if f"gv-graph__{kind}" in part[0]["class"].split()]


def texts(tree, kind=None):
    found = of_class(tree, "text", kind) if kind else parts(tree, "text")
    return [children[0] for _, children in found]


def said(tree):
    return parts(tree, "svg")[0][0]["aria-label"]


def edges(loss, wrt):
    """Return how often each pair of values is connected, constants with one use left out."""
    order = graph.topological_order([loss, *wrt])
    uses = Counter(id(x) for node in order for x in node.inputs)
    return [
        (x, node)
        for node in order
        for x in node.inputs
        if not (x.operation == "constant" and uses[id(x)] == 1 and x not in wrt)
    ]


def boxes(tree):
    """Return (left, top, right, bottom) of the shapes of all nodes."""
    numbers = [
        [float(part[0][key]) for key in ("x", "y", "width", "height")]
        for part in parts(tree, "rect")
    ]
    rectangles = [(x, y, x + width, y + height) for x, y, width, height in numbers]
    for part in of_class(tree, "path", "stop") + of_class(tree, "path", "scale"):
        x, y = map(int, re.match(r"M(\d+) (\d+)", part[0]["d"]).groups())
        rectangles.append((x, y - 3, x + 32, y + 20))
    return rectangles


def ends(path):
    """Return where an edge starts and ends: across (to the shape, without its head), and down."""
    numbers = [float(x) for x in re.findall(r"-?[\d.]+", path)]
    if path[path.rindex(re.findall("[CH]", path)[-1])] == "C":
        return numbers[0], numbers[1], numbers[-2], numbers[-1]
    level = re.findall(r"C[-\d. ]+", path)
    return (
        numbers[0],
        numbers[1],
        numbers[-1],
        float(level[-1].split()[-1]) if level else numbers[1],
    )


@pytest.mark.parametrize("name", FINE)
def test_no_two_nodes_overlap(name):
    for (a, b, c, d), (e, f, g, h) in itertools.combinations(boxes(drawing_of(name)), 2):
        assert a >= g or e >= c or b >= h or f >= d


@pytest.mark.parametrize("name", FINE)
def test_every_node_and_every_edge_is_drawn_once(name):
    loss, wrt = built(name)
    tree = drawing_of(name)
    nodes = {id(node) for edge in edges(loss, wrt) for node in edge} | {id(x) for x in [loss, *wrt]}
    lines = of_class(tree, "path", "edge") + of_class(tree, "path", "never")

    assert len(boxes(tree)) == len(nodes)
    assert len(lines) == len(edges(loss, wrt))
    assert len({part[0]["d"] for part in lines}) == len(lines)


@pytest.mark.parametrize("name", FINE)
def test_each_edge_leads_from_the_right_of_a_node_to_the_left_of_another(name):
    tree = drawing_of(name)
    for part in of_class(tree, "path", "edge") + of_class(tree, "path", "never"):
        left, top, right, low = ends(part[0]["d"])
        assert sum(c == left and b <= top <= d for a, b, c, d in boxes(tree)) == 1
        assert sum(a == right + 6 and b <= low <= d for a, b, c, d in boxes(tree)) == 1


@pytest.mark.parametrize("name", COARSE)
def test_coarse_pictures_have_every_node_and_every_edge_too(name):
    loss, wrt = built(name)
    tree = drawing_of(name)
    paths = [part[0] for part in parts(tree, "path")]
    dots = "".join(p["d"] for p in paths if p["class"].endswith("-dots"))
    lines = "".join(p["d"] for p in paths if "dots" not in p["class"] and "holes" not in p["class"])

    assert dots.count("M") == len({id(node) for edge in edges(loss, wrt) for node in edge})
    assert lines.count("M") == len(edges(loss, wrt))
    assert not parts(tree, "rect")


@pytest.mark.parametrize("name", COARSE)
def test_coarse_pictures_say_so_and_give_the_largest_gradient_only(name):
    tree = drawing_of(name)
    loss, wrt = built(name)
    flows = graph.backpropagate(loss, wrt)[1]
    largest = max(map(abs, graph.evaluate([gradient for _, _, gradient in flows])))

    (sentence,) = [children[0] for _, children in parts(tree, "p")]
    assert sentence.startswith("Too many nodes")
    assert sentence in said(tree)
    assert texts(tree, "gradient") == [drawing.number(largest)]


@pytest.mark.parametrize("name", PLANAR)
def test_edges_of_known_planar_graphs_do_not_cross(name, monkeypatch):
    grids = []
    monkeypatch.setattr(graph_layout, "_place_rows", keep(grids, graph_layout._place_rows))
    drawn(*built(name))

    assert crossings(grids[0]) == 0


def keep(grids, function):
    def kept(grid, *arguments):
        grids.append(grid)
        return function(grid, *arguments)

    return kept


def crossings(grid):
    """Count by the definition: two edges of one gap, one above at the left, below at the right."""
    count = 0
    for column, following in itertools.pairwise(grid):
        at = {id(spot): row for row, spot in enumerate(following)}
        lines = [(row, at[id(x)]) for row, spot in enumerate(column) for x in spot.targets]
        pairs = itertools.combinations(lines, 2)
        count += sum((a - c) * (b - d) < 0 for (a, b), (c, d) in pairs)
    return count


def test_a_graph_that_cannot_be_drawn_flat_is_seen_to_cross():
    left = [graph_layout.Spot() for _ in range(2)]
    right = [graph_layout.Spot() for _ in range(2)]
    for a, b in itertools.product(left, right):
        a.targets.append(b)

    assert crossings([left, right]) == 1


def test_width_grows_with_the_gradient_from_the_smallest_to_the_largest():
    sizes = [0.0, 1e-9, 1e-6, 1e-3, 0.1, 0.5, 1, 2, 10, 1e3, 1e6, 1e9, float("inf")]
    widths = [graph_drawing._thickness(size) for size in sizes]

    assert widths == sorted(set(widths))
    assert widths[0] >= 1
    assert widths[-1] <= 10


def test_what_is_twice_as_steep_has_a_wider_edge_in_the_picture():
    def width(slope):
        x = graph.variable("x", 1)
        return float(of_class(drawn(x * slope, [x]), "path", "flow")[0][0]["stroke-width"])

    assert width(1) < width(2) < width(4) < width(8)


def test_edges_that_the_walk_never_took_are_dashed_and_carry_no_gradient():
    tree = drawing_of("one stopped")

    assert len(of_class(tree, "path", "never")) == 2
    assert len(of_class(tree, "path", "edge")) == 2
    assert len(of_class(tree, "path", "flow")) == 2
    assert "never" not in json.dumps(parts(drawing_of("two paths"), "path")).replace("never-h", "")


def test_negative_gradients_have_a_pattern_and_a_sign():
    tree = drawing_of("both scaled")
    negative = of_class(tree, "path", "negative")

    assert len(negative) == 2
    assert {"−2", "−8"} <= set(texts(tree, "gradient"))


def test_numbers_on_edges_are_what_flows_along_them():
    assert Counter(texts(drawing_of("two paths"), "gradient")) == Counter(["12", "8", "4", "2"])


def test_each_operation_shows_its_constants_and_its_value():
    x = graph.variable("x", 3)
    tree = drawn(graph.dot(1 + (2 - x * 4) ** 2, 1), [x])

    assert {"× 4", "2 −", "^ 2", "1 +", "dot 1"} <= set(texts(tree))
    assert texts(tree, "value") == ["3", "12", "−10", "100", "101", "101"]


@pytest.mark.parametrize(
    ("valve", "kind", "setting"),
    [(graph.stop_gradient, "stop", []), (graphs_to_draw.half, "scale", [" × 0.5"])],
)
def test_valves_have_their_symbol_and_setting(valve, kind, setting):
    tree = drawn(*two_valves(unchanged, valve)())

    assert len(of_class(tree, "path", kind)) == 1
    assert [text for text in texts(tree) if " × " in text] == setting


def test_vectors_are_short_and_their_gradients_norms():
    x = graph.variable("x", [3, 4, 5])
    tree = drawn(graph.dot(x * 2, [3, 4, 0]), [x])

    assert {"[3, 4, …]", "[6, 8, …]"} <= set(texts(tree, "value"))
    assert texts(tree, "gradient") == ["|5|", "|10|", "[6, 8, …]"]


def test_decimal_commas_are_not_mistaken_for_the_commas_of_a_list():
    x = graph.variable("x", [0.5, 1.5])
    tree = drawn(graph.reduce_sum(x), [x], number=lambda value: drawing.number(value, ","))

    assert "[0,5; 1,5]" in texts(tree, "value")


@pytest.mark.parametrize(
    ("name", "sentences"),
    [
        ("two paths", "Graph of z, whose value is 8. Gradient with respect to x: 12."),
        ("one stopped", "stop_gradient_1 stops the gradient."),
        ("both stopped", "to x: None, hidden by stop_gradient_1, stop_gradient_2."),
        ("both scaled", "scale_gradient_1 multiplies the gradient by 0.5."),
        ("unused", "Gradient with respect to x: None, since z doesn't use it."),
        ("scale is a node", "Gradient with respect to s: None, hidden by scale_gradient_1."),
        ("itself", "Graph of x, whose value is 3. Gradient with respect to x: 1."),
        ("unroll of 8", "Further valves: 7."),
    ],
)
def test_the_text_alternative_says_what_the_picture_says(name, sentences):
    assert sentences in said(drawing_of(name))


def test_none_is_written_at_the_wanted_node():
    assert texts(drawing_of("both stopped"), "gradient").count("None") == 1
    assert texts(drawing_of("unused"), "gradient").count("None") == 1


def test_names_are_translated_if_they_have_a_label():
    tree = drawn(*built("two paths"), label=lambda name: {"z": "Zett"}.get(name, name))

    assert "Zett" in texts(tree)
    assert "Graph of Zett" in said(tree)


@pytest.mark.parametrize("name", NAMES)
def test_trees_have_only_known_tags_and_texts_as_attributes(name):
    def check(tree):
        tag, attributes, children = tree
        assert tag in ALLOWED
        assert all(isinstance(value, str) for value in attributes.values())
        assert not {"id", "style", "href"} & set(attributes)
        for child in children:
            assert isinstance(child, str) or check(child) is None

    check(drawing_of(name))


def test_hostile_names_stay_text():
    tree = drawing_of("hostile")

    assert "<script>alert(1)</script>" in said(tree)
    assert "{0} {name} &lt; %s" in said(tree)
    for tag in ALLOWED:
        for attributes, _ in parts(tree, tag):
            values = [value for key, value in attributes.items() if key != "aria-label"]
            assert not any("<" in value or '"' in value or "&" in value for value in values)


@pytest.mark.parametrize("wrt", [None, 3, [3], graph.variable("x", 1)])
def test_what_is_wanted_must_be_nodes(wrt):
    with pytest.raises(TypeError, match="wrt: expected nodes, not"):
        drawn(graph.variable("y", 1), wrt)


def test_the_loss_must_be_a_scalar():
    x = graph.variable("x", [1, 2])
    with pytest.raises(ValueError, match="loss: expected a scalar"):
        drawn(x, [x])


def test_drawing_leaves_the_names_of_later_nodes_alone():
    loss, wrt = built("both scaled")
    before = dict(graph.name_counts)

    drawn(loss, wrt)

    assert graph.name_counts == before


def test_a_tuple_of_wanted_nodes_is_as_good_as_a_list():
    loss, wrt = built("two paths")
    assert drawn(loss, tuple(wrt)) == drawing_of("two paths")


@pytest.mark.parametrize("make", [chain, shared, unroll])
def test_work_grows_as_the_graph_does(make):
    files = [graph_drawing.__file__, graph_layout.__file__]

    def lines(size):
        count = 0

        def trace(frame, *_):
            nonlocal count
            count += frame.f_code.co_filename in files
            return trace

        loss, wrt = make(size)()
        before, _ = sys.gettrace(), sys.settrace(trace)
        try:
            drawn(loss, wrt)
        finally:
            sys.settrace(before)
        return count

    assert lines(400) < 2.2 * lines(200)


def test_coarse_pictures_have_few_shapes_however_large_the_graph():
    assert len(parts(drawn(*unroll(100)()), "path")) < 25


@functools.cache
def drawings_in_micropython():
    files = [graph, drawing, graph_drawing, graph_layout]
    here = Path(__file__).parent
    command = [
        Path(sys.executable).with_name("node"),
        here.parent / "graph/micropython.mjs",
        here / "print_drawings.py",
        f"graphs_to_draw.py={graphs_to_draw.__file__}",
        *[f"{file.__name__.replace('.', '/')}.py={file.__file__}" for file in files],
    ]
    done = subprocess.run(command, capture_output=True, text=True)
    assert done.returncode == 0, done.stderr
    return dict(map(json.loads, done.stdout.splitlines()))


@pytest.mark.parametrize("name", NAMES)
def test_micropython_draws_the_same(name):
    actual, expected = drawings_in_micropython()[name], drawing_of(name)

    assert numbers_out(actual) == numbers_out(expected)
    numbers = pytest.approx(numbers_in(expected), rel=1e-9, abs=1e-9)
    assert numbers_in(actual) == numbers


def numbers_in(tree):
    return [float(x) for x in re.findall(r"-?\d*\.?\d+", json.dumps(tree, sort_keys=True))]


def numbers_out(tree):
    return re.sub(r"-?\d*\.?\d+", "#", json.dumps(tree, sort_keys=True))
