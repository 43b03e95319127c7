"""The picture of a graph that explain_gradient has searched, as the text of an SVG file."""

from gradvalve import graph
from gradvalve.drawing import markup
from gradvalve.graph_drawing import WORDS, picture

# Where the file stands alone, as on the site in daylight.
_STYLE = """
.gv-graph__picture { fill: none; background: #fcfbf8 }
.gv-graph__picture text { fill: #1b222a; font: 14px system-ui, sans-serif;
  paint-order: stroke; stroke: #fcfbf8; stroke-linejoin: round; stroke-width: 3px }
.gv-graph__picture text.gv-graph__name { font-style: italic }
.gv-graph__picture text.gv-graph__gradient { fill: #b8370b; font-weight: 600 }
.gv-graph__node, .gv-graph__loss, .gv-graph__wanted { fill: #f4f2ec; stroke: #4a6076 }
.gv-graph__edge, [class$="-dots"] { stroke: #4a6076; stroke-linecap: round }
.gv-graph__never { stroke: #55606b; stroke-dasharray: 3 4 }
.gv-graph__flow, .gv-graph__wanted, .gv-graph__wanted-dots { stroke: #b8370b }
.gv-graph__edge-head { fill: #4a6076 }
.gv-graph__never-head { fill: #55606b }
.gv-graph__flow-head { fill: #b8370b }
.gv-graph__stop { fill: #1b222a }
.gv-graph__stop, .gv-graph__loss, .gv-graph__loss-dots { stroke: #1b222a; stroke-width: 2px }
.gv-graph__stop-dots { stroke: #1b222a; stroke-linecap: square }
"""
_CONTROL_CHARACTERS = dict.fromkeys(range(32), " ")  # XML refuses most


def draw(inputs, steps, notes, alternative):
    """Return the SVG text; `alternative` says in words what it shows.

    inputs: pairs of name and operation, None if the result doesn't depend on it.
    steps: by operation, which ones it uses, and whether a gradient comes to them; the result is
    None. notes: by operation, texts that say what in it hides an input.
    """
    counts, nodes, wanted = dict(graph.name_counts), {}, []

    def drawn_uses(operation):
        uses = {}
        for source, comes in steps.get(operation, {}).items():
            if source in nodes:  # else it depends on no input
                uses[nodes[source]] = comes or uses.get(nodes[source], False)
        return uses

    for name, operation in inputs:
        wanted.append(nodes.get(operation) or _node("input", {}).named(name))
        if operation:
            nodes[operation] = wanted[-1]
    for operation in graph.topological_order(list(steps[None]), lambda x: steps.get(x, ())):
        uses, note = drawn_uses(operation), notes.get(operation, [])
        if len(uses) == 1 and not note and _passes_on(operation):
            (nodes[operation],) = uses
        elif uses and operation not in nodes:
            stops = note and not any(uses.values())
            text = note[0] + " …" * (len(note) > 1) if note else ""
            nodes[operation] = _node("stop_gradient" if stops else operation.type, uses, text)
    # Reversed, since picture places the last of wanted on top.
    tree = picture(_node("result", drawn_uses(None)), wanted[::-1], WORDS, _text, _end)
    graph.name_counts.clear()
    graph.name_counts.update(counts)  # what is drawn doesn't change the names of later nodes
    drawing = tree[2][0][2][0]
    attributes = drawing[1] | {"xmlns": "http://www.w3.org/2000/svg", "aria-label": alternative}
    shapes = [["style", {}, [_STYLE]], *drawing[2]]
    return markup(["svg", attributes, shapes]).translate(_CONTROL_CHARACTERS)


def _node(operation, uses, value=""):
    """Return a node with a text as its value. All gradients are 1, so that all are as wide."""
    rules = [(lambda *_: graph.constant(1)) if comes else None for comes in uses.values()]
    return graph.Node(operation, list(uses), (), lambda *_: value, rules)


def _passes_on(operation):
    types = {x.dtype.is_floating for x in [*operation.inputs, *operation.outputs]}
    return operation.type in {"Identity", "ReadVariableOp"} or (
        operation.type == "Cast" and types == {True}
    )


def _text(value):
    """Return None and texts; the numbers say nothing."""
    return "" if isinstance(value, float) else str(value)


def _end(name):
    return name if len(name) <= 16 else "…" + name[-15:]
