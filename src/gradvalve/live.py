"""What live examples use: controls, pictures of graphs, charts and tables; and what runs them.

An example is a short Python file. For a page `run` runs it, in CPython when the site is built and
in MicroPython in the reader's browser, and returns controls and output as trees: [tag, {attribute:
text}, [trees and texts]]. As a program an example takes its defaults, and prints what it would
show. Its texts are English; a page brings the labels that translate them.
"""
# ruff: noqa: B905, RUF005 (MicroPython has neither zip(strict=) nor [*a, b])

import io
import re
import sys

from gradvalve import drawing, graph_drawing
from gradvalve.graph import name_counts

# What is said beside an example's own texts; a page may bring it in its language.
WORDS = {
    "lines": "Line chart.",
    "bars": "Bar chart.",
    "stacked": "Stacked bar chart.",
    "points": "{name}: {points}.",
    "point": "{y} at {x}",
    "range": "{name}: {first} at {start}, {last} at {end}; lowest {lowest}, highest {highest}.",
    "comma": ", ",
}
WORDS.update(graph_drawing.WORDS)
MOST_CHARACTERS, MOST_OUTPUTS, MOST_ROWS, MOST_FRAMES = 10_000, 30, 1_000, 8
WORD = re.compile("[A-Za-z][A-Za-z]")  # a text without, such as "w₁", needs no translation

# What the example that runs fills. A program has no output here, it prints.
PROGRAM = {"settings": {}, "labels": None, "words": WORDS, "decimal": ".", "output": None}
_page = PROGRAM


def slider(name, value, low, high, step=None):
    """Return the float that the reader has set from low to high; until then, the value."""
    place = f"slider {name!r}"
    _check(place, "a text as name", [name], _is_text)
    _check(place, "a number", [value, low, high] + ([] if step is None else [step]), _is_finite)
    step = (high - low) / 100 if step is None else step
    if not low <= value <= high or not 0 < step <= high - low:
        raise ValueError(
            f"{place}: expected low <= value <= high and 0 < step <= high - low, not "
            f"value {value!r}, low {low!r}, high {high!r} and step {step!r}"
        )
    try:
        setting = float(_page["settings"].get(name, value))
    except (TypeError, ValueError):
        setting = value
    setting = float(setting if low <= setting <= high else value)
    numbers = {"value": setting, "min": low, "max": high, "step": step}
    field = {"type": "range", "name": name}
    field.update({key: _plain(numbers[key]) for key in numbers})
    _add_control(name, [["input", field, []], ["output", {"dir": "ltr"}, [_text(setting)]]])
    return setting


def choice(name, options):
    """Return which of the options, texts or numbers, the reader has set; until then, the first."""
    place = f"choice {name!r}"
    _check(place, "a text as name", [name], _is_text)
    _check_list(place, "options", options)
    _check(place, "a text or number as option", options, lambda x: _is_text(x) or _is_finite(x))
    values = [each if _is_text(each) else _plain(each) for each in options]
    if len(set(values)) < len(values):
        raise ValueError(f"{place}: expected options that differ, not {_short(options)}")
    setting = _page["settings"].get(name)
    chosen = values.index(setting) if setting in values else 0
    items = []
    for value, x in zip(values, options):
        items.append(["option", {"value": value, "dir": "auto"}, [_text(x)]])  # 1/K in Arabic too
    items[chosen][1]["selected"] = "selected"
    _add_control(name, [["select", {"name": name}, items]])
    return options[chosen]


def show(loss, wrt, title=""):
    """Show the graph of the loss, and the gradient that flows to the nodes in the list wrt."""
    labels = _page["labels"] or {}
    picture = graph_drawing.picture(
        loss, wrt, _page["words"], _text, lambda name: labels.get(name, name)
    )
    _add_drawing("show", title, [picture])


def plot(x, series, kind="lines", title="", x_title="", y_title="", logarithmic=False):
    """Show a chart.

    x: numbers, or texts, which name categories.
    series: pairs (name, values); the values are a number or None for each x.
    kind: "lines", "bars", side by side, or "stacked" bars.
    logarithmic: whether the axis of the values is, which "stacked" bars can't have.
    """
    if kind not in ("lines", "bars", "stacked") or (logarithmic and kind == "stacked"):
        scale = "a logarithmic" if logarithmic else "a"
        kinds = '"lines" or "bars"' if logarithmic else '"lines", "bars" or "stacked"'
        raise ValueError(f"plot: expected {kinds} as kind of {scale} chart, not {kind!r}")
    _check_list("plot", "x", x)
    if not all(map(_is_text, x)):
        _check("plot", "a number or text as x", x, _is_finite)
    _check_list("plot", "series", series, drawing.MOST_SERIES)
    _check("plot", "a pair (name, values) as series", series, _is_pair)
    for name, values in series:
        place = f"plot: series {name!r}"
        _check(place, "a text as name", [name], _is_text)
        _check_list(place, "values", values)
        _check(place, "a number or None as value", values, lambda y: y is None or _is_number(y))
        if len(values) != len(x):
            raise ValueError(
                f"{place}: expected {len(x)} values, one for each x, not {len(values)}"
            )
    _check("plot", "a text as title", [x_title, y_title], _is_text)
    x = [_label(each) if _is_text(each) else each for each in x]
    series = [(_label(name), values) for name, values in series]
    x_title, y_title, decimal = _label(x_title), _label(y_title), _page["decimal"]
    alternative = drawing.description(kind, x, series, _page["words"], decimal)
    chart = drawing.chart(kind, x, series, x_title, y_title, logarithmic, decimal, alternative)
    _add_drawing("plot", title, chart)


def table(header, rows):
    """Show a table. header: texts. rows: lists of as many texts, numbers or None."""
    _check_list("table", "header", header, drawing.MOST_SERIES)
    _check("table", "a text as header", header, _is_text)
    _check_list("table", "rows", rows)
    for row in rows:
        _check_list("table", "row", row)
        if len(row) != len(header):
            size = len(header)
            raise ValueError(f"table: expected {size} cells, as in the header, not {_short(row)}")
        _check("table", "a text, number or None as cell", row, _is_cell)
    head = [["th", {"scope": "col"}, [_label(each)]] for each in header]
    body = [["tr", {}, [["td", {}, [_cell(x)]] for x in row]] for row in rows]
    parts = [["thead", {}, [["tr", {}, head]]], ["tbody", {}, body]]
    lines = [" | ".join([_text(x) for x in row]) for row in [header] + list(rows)]
    _add(["table", {"class": "gv-table"}, parts], "\n".join(lines))


def run(source, settings, texts):
    """Run an example, and return what a page shows of it; all leaves are texts.

    settings: {name of a control: text}. texts: {"labels": {English: translation}, or None for
    English, "words": as WORDS, what is missing is English, "decimal": "." or ","}.

    The result has "controls" and "output", lists of trees; "error", the traceback of the example's
    own lines, or None; and "missing", the texts that have no label but need one.
    """
    global _page
    words = dict(WORDS)
    words.update(texts.get("words") or {})
    page = {"settings": settings, "labels": texts["labels"], "words": words, "names": []}
    page.update({"decimal": texts["decimal"], "controls": [], "output": [], "missing": []})
    page.update({"characters": 0, "error": None})
    name_counts.clear()
    before, _page = _page, page
    try:
        exec(compile(source, "example", "exec"), {"__name__": "__main__", "print": _print})
    except (Exception, SystemExit) as exception:
        page["error"] = _traceback(exception)
    finally:
        _page = before
    for tree in page["output"]:
        if tree[0] == "pre":
            tree[2] = ["".join(tree[2])]
    return {key: page[key] for key in ("controls", "output", "error", "missing")}


def _print(*values, sep=" ", end="\n"):
    text = sep.join([str(value) for value in values]) + end
    room = MOST_CHARACTERS - _page["characters"]
    _page["characters"] += len(text)
    output = _page["output"]
    if not output or output[-1][0] != "pre":
        _add(["pre", {"class": "gv-text", "dir": "ltr"}, []])
    output[-1][2].append(text[: max(room, 0)])
    if len(text) > room:
        raise RuntimeError(f"print: expected at most {MOST_CHARACTERS} characters in all")


def _traceback(exception):
    """Return the traceback as Python prints it, but only the lines about the example."""
    if hasattr(sys, "print_exception"):  # MicroPython
        file = io.StringIO()
        sys.print_exception(exception, file)
        lines = file.getvalue().split("\n")
    else:
        import traceback  # MicroPython has none

        lines = "".join(traceback.format_exception(exception, chain=False)).split("\n")
    lines = [line.strip() for line in lines if line.startswith('  File "example"')]
    if len(lines) > MOST_FRAMES:  # a recursion without end
        lines[MOST_FRAMES // 2 : -MOST_FRAMES // 2] = ["…"]
    is_syntax_error = isinstance(exception, SyntaxError)
    message = str(getattr(exception, "msg", exception) if is_syntax_error else exception)
    name = type(exception).__name__
    return "\n".join(lines + [f"{name}: {message}" if message else name])


def _add_control(name, children):
    if _page["output"] is None:
        return
    if name in _page["names"]:
        raise ValueError(f"expected controls of different names, not {name!r} twice")
    if len(_page["names"]) == MOST_OUTPUTS:
        raise RuntimeError(f"expected at most {MOST_OUTPUTS} controls")
    _page["names"].append(name)
    _page["controls"].append(
        ["label", {"class": "gv-control"}, [["span", {}, [_label(name)]]] + children]
    )


def _add_drawing(place, title, trees):
    if title:
        _check(place, "a text as title", [title], _is_text)
        trees.insert(0, ["p", {"class": "gv-title"}, [_label(title)]])
    tree = ["div", {"class": "gv-shown"}, trees]
    _add(tree, " ".join(_alternatives(tree)))


def _alternatives(tree):
    """Return what the pictures in a tree say in words."""
    if isinstance(tree, str):
        return []
    own = [tree[1]["aria-label"]] if "aria-label" in tree[1] else []
    return own + [each for child in tree[2] for each in _alternatives(child)]


def _add(tree, alternative=""):
    output = _page["output"]
    if output is None:
        print(alternative)
    elif len(output) == MOST_OUTPUTS:
        raise RuntimeError(f"expected at most {MOST_OUTPUTS} outputs")
    else:
        output.append(tree)


def _label(text):
    """Return the translation of a text. If it needs one and has none, note that."""
    labels = _page["labels"]
    if labels is None or text in labels:
        return labels[text] if labels else text
    if WORD.search(text) and text not in _page["missing"]:
        _page["missing"].append(text)
    return text


def _text(x):
    return _label(x) if _is_text(x) else drawing.number(x, _page["decimal"])


def _plain(x):
    return f"{x:.10g}"  # 0.3, not 0.30000000000000004


def _cell(x):
    return _text(x) if _is_text(x) else ["span", {"dir": "ltr"}, [_text(x)]]  # -1 in Arabic too


def _is_text(x):
    return isinstance(x, str)


def _is_number(x):
    return isinstance(x, (int, float)) and not isinstance(x, bool)


def _is_finite(x):
    return _is_number(x) and abs(x) < drawing.LARGEST


def _is_cell(x):
    return x is None or _is_text(x) or _is_number(x)


def _is_pair(x):
    return isinstance(x, (list, tuple)) and len(x) == 2


def _check(place, expected, values, test):
    for each in values:
        if not test(each):
            raise TypeError(f"{place}: expected {expected}, not {_short(each)}")


def _check_list(place, name, values, most=MOST_ROWS):
    if not isinstance(values, (list, tuple)):
        raise TypeError(f"{place}: expected a list as {name}, not {_short(values)}")
    if not 1 <= len(values) <= most:
        raise ValueError(f"{place}: expected a list of 1 to {most} as {name}, not of {len(values)}")


def _short(x):
    text = repr(x)
    return text if len(text) <= 80 else f"{text[:77]}..."
