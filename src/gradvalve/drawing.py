"""Numbers as text, and charts as SVG. Runs in CPython and in MicroPython, with the same result.

A drawing is a tree: [tag, {attribute: text}, [trees and texts]]. Colours, dashes and sizes come
from drawing.css, by the classes that stand here.
"""
# ruff: noqa: B905, RUF005 (MicroPython has neither zip(strict=) nor [*a, b])

import math

MINUS = "−"

# Of charts, in units of the drawing.
WIDTH, HEIGHT = 340, 150  # of a chart, and of the place for its bars or lines
LETTER, ROW = 7.5, 15  # about as wide is a letter, as high a line of text
LARGEST = 1e300  # from there on nothing is drawn: differences would overflow
MOST_SERIES = 12
FEW = 12  # so many values at most are marked, and told one by one


def number(value, decimal=".", digits=3):
    """Return a number as text for readers, with so many significant digits; None as "None".

    Rounds by itself, halves up: the interpreters' own formats disagree at 0.03125.
    """
    if value is None or value != value:
        return str(value)
    sign, value = MINUS if value < 0 else "", abs(float(value))
    if value < 1e6 and value == int(value):  # faster
        return sign + str(int(value))
    if value == math.inf:
        return sign + "∞"
    exponent = math.floor(math.log10(value))
    if exponent < 6:
        digits = max(digits, exponent + 1)  # 1234, not 1230
    mantissa = math.floor(_times_ten_to(digits - 1 - exponent, value) + 0.5)
    if mantissa >= 10**digits:  # 9.999 becomes 10
        exponent += 1
    figures = str(mantissa)
    if exponent < -3 or exponent >= 6:
        factor = _joined(figures[0], figures[1:], decimal)
        return f"{sign}{factor}e{exponent}".replace("e-", f"e{MINUS}")
    if exponent < 0:
        return sign + _joined("0", "0" * (-exponent - 1) + figures, decimal)
    return sign + _joined(figures[: exponent + 1], figures[exponent + 1 :], decimal)


def _times_ten_to(power, value):
    if power < 0:
        return value / 10.0**-power
    return value * 10.0 ** min(power, 300) * 10.0 ** max(power - 300, 0)


def _joined(whole, fraction, decimal):
    fraction = fraction.rstrip("0")
    return whole + decimal + fraction if fraction else whole


def at(x):
    """Return a coordinate as text, in tenths of a unit."""
    return f"{x + 1e-6:.1f}"  # a little more: the interpreters round halves differently


def markup(tree):
    """Return a tree as HTML; a picture is XML too."""
    if isinstance(tree, str):
        return tree.replace("&", "&amp;").replace("<", "&lt;").replace(">", "&gt;")
    tag, attributes, children = tree
    start = tag
    for name, value in attributes.items():
        value = markup(value).replace('"', "&quot;").replace("'", "&#x27;")
        start += f' {name}="{value}"'
    inside = "".join([markup(child) for child in children])
    if tag == "pre" and inside.startswith("\n"):
        inside = "\n" + inside  # browsers drop the first
    return f"<{start}>" if tag == "input" else f"<{start}>{inside}</{tag}>"


def svg(width, height, kind, alternative, children):
    """Return a picture. `alternative` says in words what it shows."""
    return [
        "svg",
        {
            "class": f"gv-picture {kind}",
            "role": "img",
            "aria-label": alternative,
            "direction": "ltr",  # also in Arabic: axes are formulas
            "viewBox": f"0 0 {at(width)} {at(height)}",
            "width": at(width),
            "height": at(height),
        },
        children,
    ]


def text(x, y, content, kind="", anchor="start"):
    """Return a line of text; `anchor` is "start", "middle" or "end"."""
    attributes = {"x": at(x), "y": at(y), "class": kind, "text-anchor": anchor}
    return ["text", attributes, [isolated(content)]]


def isolated(content):
    """Return a text so that it keeps its own direction: Arabic from right to left."""
    if any("\u0590" <= c <= "\u08ff" for c in content):
        return f"\u2067{content}\u2069"
    return content


def chart(kind, x, series, x_title, y_title, logarithmic, decimal, alternative):
    """Return a chart: a list of its legend, if there are several series, and its picture.

    kind: "lines", "bars" or "stacked". x: numbers or texts. series: pairs (name, values), of which
    None, inf, and on a logarithmic axis 0 leave gaps.
    """
    names = [name for name, _ in series]
    marks = _marks(kind, [values for _, values in series], logarithmic)
    y_ticks = _y_ticks(kind, marks, logarithmic)
    y_texts = _tick_texts(y_ticks, decimal)
    left, right = LETTER * max([len(each) for each in y_texts]) + 8, WIDTH - 8
    places, labels = _along(kind, x, left, right, decimal)
    slot = (right - left) / len(x)
    shares = len(series) if kind == "bars" else 1
    bar = min(0.75 * slot / shares, 40)

    def x_of(row, i):
        return places[i] + (row % shares - (shares - 1) / 2) * bar

    written = [] if kind == "lines" else _written(kind, marks, slot / shares, decimal)
    y_title = y_title or (names[0] if len(names) == 1 else "")
    top = 8 + ROW * bool(y_title) + 8 * bool(written)
    bottom = top + HEIGHT
    y_of = _scale(y_ticks[0], y_ticks[-1], bottom, top, logarithmic)

    trees = _y_axis([(y_of(tick), each) for tick, each in zip(y_ticks, y_texts)], left, right)
    trees.append(_path("gv-axis", [f"M{at(left)} {at(y_of(_axis(y_ticks)))}H{at(right)}"]))
    if kind == "lines":
        trees.append(_path("gv-grid", [f"M{at(place)} {at(bottom)}v4" for place, _ in labels]))
        trees += _curves(marks, x_of, y_of, len(x) <= FEW)
    else:
        trees += _bars(marks, x_of, y_of, 0.92 * bar)
    for row, i, y, content in written:
        trees.append(
            text(x_of(row, i), y_of(y) + (12 if y < 0 else -4), content, "gv-value", "middle")
        )
    x_texts, height = _x_texts(labels, (right - left) / len(labels), bottom)
    trees += x_texts
    if y_title:
        trees.append(text(0, 11, y_title, "gv-axis-title"))
    if x_title:
        height += ROW
        trees.append(text((left + right) / 2, height - 4, x_title, "gv-axis-title", "middle"))
    picture = svg(WIDTH, height, "gv-chart-picture", alternative, trees)
    return [_legend(kind, names), picture] if len(names) > 1 else [picture]


def _marks(kind, rows, logarithmic):
    """Return for each row what is drawn of it: (i, start, end), the ends of the bar at i."""
    lowest, marks = 0 if logarithmic else -LARGEST, []
    above, below = [0] * len(rows[0]), [0] * len(rows[0])
    for row in rows:
        marks.append([])
        for i, y in enumerate(row):
            if y is None or not lowest < y < LARGEST:
                continue
            if kind == "stacked":
                sums = above if y >= 0 else below
                marks[-1].append((i, sums[i], sums[i] + y))
                sums[i] += y
            else:
                marks[-1].append((i, y if kind == "lines" else 0, y))
    return marks


def _y_ticks(kind, marks, logarithmic):
    """Return ticks around all that is drawn."""
    ends = [y for row in marks for mark in row for y in mark[1:] if y or not logarithmic]
    if not logarithmic:
        return _round_numbers(ends or [0])
    if kind == "bars" and ends:
        ends.append(0.9 * min(ends))  # so that the shortest bar has a length
    return _powers_of_ten(ends or [1])


def _round_numbers(values, least_step=0):
    """Return round numbers at equal distances that enclose the values."""
    low, high = min(values), max(values)
    if high - low <= max(1e-9 * max(-low, high), 1 / LARGEST):
        low, high = min(low, 0), max(high, 0)
    if high - low <= 1 / LARGEST:
        high = 1
    rough = (high - low) / 4
    power = 10.0 ** math.floor(math.log10(rough))
    step = next(m * power for m in (1, 2, 5, 10) if m * power >= 0.999 * rough)
    step = max(step, least_step)
    first, last = math.floor(low / step + 1e-9), math.ceil(high / step - 1e-9)
    return [i * step for i in range(first, last + 1)]


def _powers_of_ten(values):
    """Return powers of ten that enclose the values; of a single one 1, 2, 5 and 10 times."""
    first = math.floor(math.log10(min(values)) + 1e-9)
    last = max(math.ceil(math.log10(max(values)) - 1e-9), first + 1)
    if last == first + 1:
        return [m * 10.0**first for m in (1, 2, 5, 10)]
    every = math.ceil((last - first) / 6)
    return [10.0**i for i in range(first, last + every, every)]


def _tick_texts(ticks, decimal):
    """Return texts with as many digits as it takes to tell the ticks apart."""
    digits = 3
    if len(ticks) > 1:
        largest, step = max(-ticks[0], ticks[-1]), ticks[1] - ticks[0]
        digits = min(max(3, math.floor(math.log10(largest) - math.log10(step)) + 2), 15)
    return [number(tick, decimal, digits) for tick in ticks]


def _axis(ticks):
    """Return where the axis crosses: at 0, or as near to it as the ticks reach."""
    return max(min(0, ticks[-1]), ticks[0])


def _scale(low, high, start, end, logarithmic=False):
    """Return the function from values to coordinates. On a logarithmic axis 0 is at the start."""
    if low == high:
        return lambda _: (start + end) / 2
    if not logarithmic:
        factor = (end - start) / (high - low)
        return lambda value: start + (value - low) * factor
    origin = math.log10(low)
    factor = (end - start) / (math.log10(high) - origin)
    return lambda value: start + (math.log10(value) - origin) * factor if value else start


def _along(kind, x, left, right, decimal):
    """Return the places of all x, and the labels below the axis, pairs (place, text)."""
    if kind == "lines" and not isinstance(x[0], str):
        x_of = _scale(min(x), max(x), left + 6, right - 6)
        whole = all(each == math.floor(each) for each in x)
        ticks = [tick for tick in _round_numbers(x, whole) if min(x) <= tick <= max(x)] or x[:1]
        labels = zip([x_of(tick) for tick in ticks], _tick_texts(ticks, decimal))
        return [x_of(each) for each in x], list(labels)
    slot = (right - left) / len(x)
    places = [left + (i + 0.5) * slot for i in range(len(x))]
    return places, list(zip(places, _texts(x, decimal)))


def _texts(values, decimal):
    return [each if isinstance(each, str) else number(each, decimal) for each in values]


def _written(kind, marks, room, decimal):
    """Return what is written at bars or above stacks, (row, i, y, text), if there is room."""
    written = [(row, i, y) for row, each in enumerate(marks) for i, _, y in each]
    if kind == "stacked":
        totals = {i: y for _, i, y in written}  # the last is on top
        below = [y for _, _, y in written if y < 0]
        written = [] if below else [(0, i, totals[i]) for i in sorted(totals)]
    if len(written) > FEW:
        return []
    written = [(row, i, y, number(y, decimal)) for row, i, y in written]
    fits = all(len(content) * LETTER <= room for _, _, _, content in written)
    return written if fits else []


def _y_axis(labels, left, right):
    """Return a line and a text for each label (place, text)."""
    lines = [f"M{at(left)} {at(place)}H{at(right)}" for place, _ in labels]
    texts = [text(left - 6, place + 4, content, anchor="end") for place, content in labels]
    return [_path("gv-grid", lines)] + texts


def _x_texts(labels, room, bottom):
    """Return the texts below the axis, and the height of the picture with them.

    What is too wide for its room is broken at spaces. If words are still too wide, a few labels
    stand in two or three rows in turn; of many, some are left out.
    """
    widest = max([len(word) for _, content in labels for word in content.split(" ")])
    every = math.ceil((widest * LETTER + 4) / room)
    rows = every if len(labels) <= 8 and every <= 3 else 1
    shown = labels if rows > 1 else labels[::every]
    broken = [(place, _broken(content, room * every / LETTER)) for place, content in shown]
    most_lines = max([len(lines) for _, lines in broken])
    texts = []
    for i, (place, lines) in enumerate(broken):
        half = LETTER / 2 * max([len(line) for line in lines])
        inside = min(max(place, half), WIDTH - half)
        if every > rows and inside != place and len(broken) > 1:
            continue  # moved, it would lie on its neighbour
        for j, line in enumerate(lines):
            y = bottom + 16 + ROW * (i % rows * most_lines + j)
            texts.append(text(inside, y, line, anchor="middle"))
    return texts, bottom + 6 + ROW * rows * most_lines


def _broken(content, letters):
    """Break a text at spaces into lines of at most so many letters, if words are that short."""
    lines = [""]
    for word in content.split(" "):
        if lines[-1] and len(lines[-1]) + 1 + len(word) > letters:
            lines.append(word)
        else:
            lines[-1] = f"{lines[-1]} {word}".strip()
    return lines


def _path(kind, steps):
    return ["path", {"class": kind, "d": "".join(steps)}, []]


def _curves(marks, x_of, y_of, dotted):
    paths = []
    for row, each in enumerate(marks):
        points = [(i, f"{at(x_of(row, i))} {at(y_of(y))}") for i, _, y in each]
        dots = [f"M{point}h0" for _, point in points]  # a line of no length shows as a dot
        steps, last = [], None
        for (i, point), dot in zip(points, dots):
            steps.append(f"L{point}" if last == i - 1 else dot)
            last = i
        paths.append(_path(f"gv-curve gv-series-{row + 1}", steps))
        if dotted:
            paths.append(_path(f"gv-dots gv-series-{row + 1}", dots))
    return paths


def _bars(marks, x_of, y_of, width):
    """Return two paths for each row, however many bars it has: its colour, and its pattern.

    A bar is a line as thick as a bar, and its pattern made of dashes.
    """
    paths = []
    for row, each in enumerate(marks):
        bars = []
        for i, start, end in each:
            y, end_y = y_of(start), y_of(end)
            if start and abs(end_y - y) > 2:  # a gap between the bars of a stack
                y += 1 if end_y > y else -1
            bars.append(f"M{at(x_of(row, i))} {at(y)}V{at(end_y)}")
        for kind in ("gv-bar", "gv-pattern"):
            path = _path(f"{kind} gv-series-{row + 1}", bars)
            path[1]["stroke-width"] = at(width)
            paths.append(path)
    return paths


def _legend(kind, names):
    keys = []
    for row, name in enumerate(names):
        marks = [[]] * row + [[(0, 0, 12)]]
        if kind == "lines":
            paths = [_path(f"gv-curve gv-series-{row + 1}", ["M2 6h24"])]
        else:
            paths = _bars(marks, lambda *_: 14, lambda y: y, 20)[-2:]
        attributes = {"class": "gv-swatch", "role": "presentation", "viewBox": "0 0 28 12"}
        keys.append(
            [
                "span",
                {"class": "gv-key"},
                [["svg", attributes, paths], ["span", {"dir": "auto"}, [name]]],
            ]
        )
    return ["div", {"class": "gv-legend"}, keys]


def description(kind, x, series, words, decimal):
    """Return what a chart shows in sentences, as in WORDS of live.py: all values, or the range."""
    sentences = [words[kind]]
    for name, values in series:
        some = [pair for pair in zip(x, values) if pair[1] is not None]
        numbers = [y for _, y in some if y == y]
        if len(x) <= FEW or not numbers:
            points = [_texts(pair, decimal) for pair in some]
            points = [words["point"].format(x=place, y=y) for place, y in points]
            points = words["comma"].join(points) or "None"
            sentences.append(words["points"].format(name=name, points=points))
        else:
            ends = some[0] + some[-1] + (min(numbers), max(numbers))
            start, first, end, last, lowest, highest = _texts(ends, decimal)
            texts = {"start": start, "first": first, "end": end, "last": last}
            texts.update({"name": name, "lowest": lowest, "highest": highest})
            sentences.append(words["range"].format(**texts))
    return " ".join(sentences)
