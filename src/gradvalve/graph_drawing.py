"""The picture of a graph: its values from left to right, and the gradient back from the loss.

A small graph is drawn in full; of one with many nodes only the outline is. Runs in CPython and in
MicroPython.
"""
# ruff: noqa: B905, C419, RUF005, SIM110, UP031 (MicroPython lacks the one or is fast at the other)

import math

from gradvalve import graph
from gradvalve.drawing import at, svg, text
from gradvalve.graph_layout import HEAD, Spot, place, place_dots, ports, set_columns

MOST_NODES, MOST_DETOURS = 40, 160  # beyond, nodes are dots and long edges pass over them
MOST_VALVES = 8  # that the sentences list
LEAST_SCALE = 0.72  # texts are 14 units high: on narrow screens the picture rather scrolls
WORDS = {
    "graph_loss": "Graph of {loss}, whose value is {value}.",
    "graph_gradient": "Gradient with respect to {name}: {gradient}.",
    "graph_unused": "Gradient with respect to {name}: None, since {loss} doesn't use it.",
    "graph_hidden": "Gradient with respect to {name}: None, hidden by {nodes}.",
    "graph_stop": "{name} stops the gradient.",
    "graph_scale": "{name} multiplies the gradient by {scale}.",
    "graph_more_valves": "Further valves: {count}.",
    "graph_coarse": "Too many nodes to label each: {count}. "
    "Of the gradients along the edges only the largest is written.",
    "graph_dots": "Squares stop the gradient, rings scale it.",
    "graph_comma": ", ",
}
VALVES = {"stop_gradient": "stop", "scale_gradient": "scale"}
SIGNS = {"add": "+", "subtract": "−", "negative": "−", "multiply": "×", "divide": "÷", "power": "^"}
SIGNS.update({"multiply_no_nan": "×", "greater": ">", "equal": "=", "maximum": "max"})
SIGNS.update({"reduce_sum": "sum", "reduce_mean": "mean", "reduce_max": "max"})
NAME, VALUE, GRADIENT = "gv-graph__name", "gv-graph__value", "gv-graph__gradient"


def picture(loss, wrt, words, number, label):
    """Return the picture of the graph of a loss, with the gradient that flows to the nodes wrt.

    words: sentences, as in WORDS. number, label: functions that return a number as text, which may
    be empty, and a name that the reader gave in the language of the page. On an edge a vector is
    its norm.
    """
    graph._check_nodes("loss", [loss])
    graph._check_nodes("wrt", wrt)
    wrt, comma = list(wrt), "; " if "," in number(0.5) else ", "

    def short(value):
        if not isinstance(value, list):
            return number(value)
        return "[" + comma.join([number(x) for x in value[:2]] + ["…"] * (len(value) > 2)) + "]"

    def name(node):
        return label(node.given_name) if node.given_name else node.name

    order = graph.topological_order([loss] + wrt[::-1])[::-1]  # the first of the inputs is first
    values, gradients, flows, hiding = _computed(loss, wrt, order)
    said = _said(loss, wrt, order, values, gradients, hiding, words, short, name)
    inside = _written_inside(order, gradients)
    spots = [Spot(node) for node in order if id(node) not in inside]
    for spot in spots:
        other = "wanted" if id(spot.node) in gradients else "loss" if spot.node is loss else "node"
        spot.kind = VALVES.get(spot.node.operation, other)
    edges = _edges(spots, flows)
    late = [spot for spot in spots if spot.kind == "node" and not spot.node.inputs]
    set_columns(edges, late)  # variables not in wrt stand just before their use
    detours = sum([end.column - start.column - 1 for start, end, _ in edges])
    if len(spots) <= MOST_NODES and detours <= MOST_DETOURS:
        for spot in spots:
            _describe(spot, inside, gradients, values, short, name)
        return _framed(_fine(spots, edges, number), said, [])
    said.append(words["graph_coarse"].format(count=number(len(spots))))
    if any([spot.node.operation in VALVES for spot in spots]):
        said[-1] += " " + words["graph_dots"]
    return _framed(_coarse(spots, edges, number, name), said, [["p", {}, said[-1:]]])


def _framed(drawing, said, below):
    width, height, shapes = drawing
    drawing = svg(width, height, "gv-graph__picture", " ".join(said), shapes)
    least = ["svg", {"class": "gv-graph__least", "width": at(width * LEAST_SCALE)}, []]
    frame = {"class": "gv-graph__frame", "dir": "ltr"}
    if width > 360:
        frame["tabindex"] = "0"  # where it scrolls, it does by keyboard too
    return ["div", {"class": "gv-graph"}, [["div", frame, [drawing, least]]] + below]


def _computed(loss, wrt, order):
    """Return values and gradients by id of the node, flows, and pairs (input, hiding node).

    flows: by id of each node to which the walk comes, the pairs (input, gradient along the edge).
    The gradient flows not only to wrt, but also to the nodes that hide something of them, so that
    one sees it end there.
    """
    visited, hidden = graph.trace(loss)
    using = _users(wrt, order) if hidden else ()
    hiding = [(x, node) for x, node in hidden if id(x) in using]
    counts = dict(graph.name_counts)
    totals, along = graph.backpropagate(loss, wrt + [node for _, node in hiding])
    graph.name_counts.clear()
    graph.name_counts.update(counts)  # what is drawn doesn't change the names of later nodes
    wanted, flowing = totals[: len(wrt)], [gradient for _, _, gradient in along]
    results = graph.evaluate(order + wanted + flowing)
    values = {id(node): value for node, value in zip(order, results)}
    gradients = {id(x): value for x, value in zip(wrt, results[len(order) :])}
    flows = {id(node): [] for node in visited}
    for (node, x, _), amount in zip(along, results[len(order) + len(wrt) :]):
        flows[id(node)].append((x, amount))
    return values, gradients, flows, hiding


def _users(nodes, order):
    """Return the ids of the nodes and of those that depend on them."""
    users = {id(node) for node in nodes}
    for node in order[::-1]:
        for x in node.inputs:
            if id(x) in users:
                users.add(id(node))
    return users


def _written_inside(order, gradients):
    """Return by id the values of constants that are written into the only node that they feed."""
    uses = {}
    for node in order:
        for x in node.inputs:
            uses[id(x)] = uses.get(id(x), 0) + 1
    return {
        id(x): x.rule()
        for x in order
        if x.operation == "constant" and not x.given_name and uses.get(id(x)) == 1
        if id(x) not in gradients
    }


def _edges(spots, flows):
    """Return edges (start, end, (kind, gradient)): the kind is "never" where none can flow."""
    spot_of, edges = {id(spot.node): spot for spot in spots}, []
    for spot in spots:
        flowing = flows.get(id(spot.node))
        for x, rule in zip(spot.node.inputs, spot.node.gradient_rules):
            kind, amount = "never" if flowing is None or not rule else "edge", None
            if rule and flowing and flowing[0][0] is x:  # else it isn't wanted
                amount = flowing.pop(0)[1]
            if id(x) in spot_of:
                edges.append((spot_of[id(x)], spot, (kind, amount)))
    return edges


def _said(loss, wrt, order, values, gradients, hiding, words, short, name):
    """Return as sentences what the loss and the gradients are, where None why, and the valves."""
    said = []

    def say(key, **texts):
        said.append(words["graph_" + key].format(**texts))

    say("loss", loss=name(loss), value=short(values[id(loss)]))
    for x in wrt:
        if gradients[id(x)] is not None:
            say("gradient", name=name(x), gradient=short(gradients[id(x)]))
            continue
        users = _users([x], order)
        nodes = words["graph_comma"].join([name(node) for y, node in hiding if id(y) in users])
        say("hidden" if nodes else "unused", name=name(x), nodes=nodes, loss=name(loss))
    valves = [node for node in order if node.operation in VALVES]
    valves.sort(key=lambda node: (node.operation, node.number))
    for node in valves[:MOST_VALVES]:
        say(VALVES[node.operation], name=name(node), scale=short(values[id(node.inputs[-1])]))
    if len(valves) > MOST_VALVES:
        say("more_valves", count=len(valves) - MOST_VALVES)
    return said


def _describe(spot, inside, gradients, values, short, name):
    """Write down what stands at a node, and how much room that takes."""
    node, value = spot.node, short(values[id(spot.node)])
    above = _cut(name(node)) if node.given_name else ""
    lines = []  # how far below the middle, text, class
    spot.half, spot.bottom = 16, 30 if value else 14
    if node.operation == "scale_gradient":
        above += " × " + short(values[id(node.inputs[1])])
    elif not node.inputs:
        lines.append((5, above or value, NAME))
        spot.bottom, above = spot.bottom if above else 14, ""
    elif node.operation != "stop_gradient":
        parts = [short(inside[id(x)]) if id(x) in inside else "" for x in node.inputs]
        parts.insert(len(parts) - 1, SIGNS.get(node.operation, node.operation))
        lines.append((5, _cut(" ".join([part for part in parts if part])), ""))
    if lines:
        spot.half = max(15, math.ceil(_width(lines[0][1]) / 2 + 7))
    if above:
        lines.append((-19, above, NAME))
        spot.top = 32
    if spot.bottom == 30:
        lines.append((28, value, VALUE))
    if id(node) in gradients:
        lines.append((spot.bottom + 14, short(gradients[id(node)]), GRADIENT))
        spot.bottom += 16
    spot.lines = [line for line in lines if line[1]]
    spot.reach = max([spot.half] + [_width(content) / 2 for _, content, _ in lines])


def _cut(content):
    return content if len(content) <= 16 else content[:15] + "…"


def _width(content):
    return 7.8 * len(content)  # about, at a height of 14


def _fine(spots, edges, number):
    """Return width, height and shapes of a picture that shows each node with its value."""
    amounts = [amount for _, _, (_, amount) in edges]
    largest = max([_norm(amount) for amount in amounts if amount is not None] + [0])
    written = [_amount(amount, largest, number) for amount in amounts]
    spots, routes, width, height = place(spots, edges, [_width(content) for content in written])
    places = [(spot.x, spot.y + line[0], _width(line[1])) for spot in spots for line in spot.lines]
    heads, shapes, texts = {"edge": "", "never": "", "flow": ""}, [], []
    for edge, route, content, (out, into) in zip(edges, routes, written, ports(routes)):
        start, end, (kind, amount) = edge
        left, top = start.x + start.half, start.y + out
        right, low = end.x - end.half, end.y + into
        shapes.append(_path(kind, _curve(route, left, top, right - 6, low)))
        heads[kind] += "M%d %dl-8-4v8z" % (right, low)
        if amount is None:
            continue
        thick = _thickness(_norm(amount))
        curve = _curve(route, left + 9, top, right - 10, low)
        shapes.append(_path(_flow_kind(amount), curve, thick))
        wide = math.floor(thick / 2 + 4)
        heads["flow"] += "M%d %dl10-%dv%dz" % (left + 1, top, wide, 2 * wide)
        beside = thick / 2 + 14 if (into or out) > 0 else -thick / 2 - 4
        if content:
            x, y = _free_place(route, left, top, right, low, beside, _width(content), places)
            texts.append(text(x, y, content, GRADIENT, "middle"))
    shapes += [_path(kind + "-head", heads[kind]) for kind in ("edge", "never", "flow")]
    for spot in spots:
        shapes.append(_shape(spot))
        for down, content, kind in spot.lines:
            texts.append(text(spot.x, spot.y + down, content, kind, "middle"))
    return width, height, shapes + texts


def _path(kind, d, thick=None):
    attributes = {"class": "gv-graph__" + kind, "d": d}
    if thick:
        attributes["stroke-width"] = at(thick)
    return ["path", attributes, []]


def _amount(amount, largest, number):
    """Return a gradient as text; "≈ 0" if it is so small that rounding has made it."""
    if amount is None:
        return ""
    if 0 < _norm(amount) < 1e-12 * largest < math.inf:
        return "≈ 0"
    return f"|{number(_norm(amount))}|" if isinstance(amount, list) else number(amount)


def _norm(amount):
    return math.sqrt(sum([x * x for x in amount])) if isinstance(amount, list) else abs(amount)


def _flow_kind(amount):
    return "flow" if isinstance(amount, list) or not amount < 0 else "flow gv-graph__negative"


def _thickness(norm):
    """Return 1 to 10: it grows with the logarithm of the gradient, fastest where that is 1."""
    root = math.sqrt(norm)
    return 10 - 9 / (1 + root) if root == root else 10


def _curve(route, left, top, right, low):
    """Return the path along a route, level at each spot."""
    d, x, y = "M%d %d" % (left, top), left, top
    for spot in route[1:-1]:
        after = spot.x + spot.half
        d += _bend(x, y, spot.x - spot.half, spot.y) + "H%d" % after
        x, y = after, spot.y
    return d + _bend(x, y, right, low)


def _bend(x, y, right, low, up=0):
    if y == low and not up:
        return "H%d" % right
    middle = (x + right) // 2
    return "C%d %d %d %d %d %d" % (middle, y - up, middle, low - up, right, low)


def _free_place(route, left, top, right, low, beside, wide, places):
    """Return where the number of an edge stands: beside it, if possible clear of other texts."""
    spot, rise = route[len(route) // 2], low - top
    candidates = [(spot.x, spot.y)]
    if len(route) == 2:
        along = [(t, t * t * (3 - 2 * t)) for t in (0.5, 0.65, 0.35, 0.75, 0.25)]
        aside = max(-12, min(12, rise / 3)) * (-1 if beside > 0 else 1)
        candidates = [(left + t * (right - left) + aside, top + s * rise) for t, s in along]
    for x, y in candidates:
        if _is_clear(x, y + beside, wide, places):
            break
    places.append((x, y + beside, wide))
    return x, y + beside


def _is_clear(x, y, wide, places):
    for a, b, width in places:
        if -13 < y - b < 13 and abs(x - a) * 2 < wide + width:
            return False
    return True


def _shape(spot):
    """Return the shape of a node: a valve, a pill for what has no inputs, a box for the rest."""
    x, y, half = spot.x, spot.y, spot.half
    if spot.node.operation in VALVES:
        return _path(spot.kind, f"M{x - 16} {y - 10}v20l32-20v20zM{x} {y}v-13m-6 0h12")
    box = {"class": "gv-graph__" + spot.kind, "x": str(x - half), "y": str(y - 13)}
    box.update({"width": str(2 * half), "height": "26", "rx": "4" if spot.node.inputs else "13"})
    return ["rect", box, []]


def _coarse(spots, edges, number, name):
    """Return width, height and shapes of a picture of dots. All that look alike are one path."""
    names = {id(x): _cut(name(x.node)) for x in spots if x.kind in ("wanted", "loss")}
    left = 14 + max([_width(names[id(x)]) for x in spots if x.kind == "wanted"] + [0])
    spots, distance, height = place_dots(spots, edges, math.floor(left))
    paths, most, texts = {}, -1, []
    for a, b, (kind, amount) in edges:
        columns, thick = b.column - a.column, 1
        up = min(HEAD, 3 * columns) if columns > 1 else 0
        if amount is not None:
            norm = _norm(amount)
            kind, thick = _flow_kind(amount), math.ceil(_thickness(norm) * distance / 15) / 2
            if norm > most:
                most, largest = norm, amount
                x, y = (a.x + b.x) / 2, (a.y + b.y) / 2 - 0.75 * up - 8
        d = "M%d %d" % (a.x, a.y) + _bend(a.x, a.y, b.x, b.y, up)
        paths.setdefault((kind, thick), []).append(d)
    if most >= 0:
        texts.append(text(x, y, _amount(largest, 0, number), GRADIENT, "middle"))
    size, last = distance / 4 + 2, -99
    for spot in spots:
        d = "M%d %dh0" % (spot.x, spot.y)
        paths.setdefault((spot.kind + "-dots", size), []).append(d)
        if spot.kind == "loss":
            texts.append(text(spot.x + 9, spot.y + 5, names[id(spot)], NAME))
        elif spot.kind == "wanted" and spot.y - last > 13:  # else there is no room
            last = spot.y
            texts.append(text(spot.x - 9, spot.y + 5, names[id(spot)], NAME, "end"))
    if ("scale-dots", size) in paths:
        paths["scale-holes", size / 2] = paths["scale-dots", size]
    shapes = [_path(kind, "".join(paths[kind, thick]), thick) for kind, thick in sorted(paths)]
    width = max([spot.x + 12 + _width(names.get(id(spot), "")) for spot in spots])
    return width, height + 12, shapes + texts
