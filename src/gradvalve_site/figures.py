"""Shows a notebook's figures: a place for the chart, its caption, and its data as a table; and its
pictures.

assets/javascripts/figures.js draws the chart from a JSON file when it comes near the screen.
"""

import base64
import struct
from html import escape

import numpy as np

from gradvalve_site import values
from gradvalve_site.words import WORDS

DRAWN = ["bar", "pie", "scatter"]  # the Plotly that we serve leaves out other traces, silently
FOR_JUPYTER = ["colorway", "template"]  # the page has its own


def check(figure):
    """Raise ValueError if the page can't draw the figure."""
    for trace in figure["data"]:
        if trace["type"] not in DRAWN:
            reason = f"the site draws traces of type {', '.join(DRAWN)}, not {trace['type']}"
            raise ValueError(reason)


def for_page(figure):
    """Return the figure as the page draws it."""
    layout = {key: value for key, value in figure["layout"].items() if key not in FOR_JUPYTER}
    return {"data": figure["data"], "layout": layout}


def html(figure, cell, caption, language):
    """Return the part of a page that shows the figure of a cell: Markdown with HTML."""
    words = WORDS[language]
    return f"""\
<figure class="gv-figure" markdown="block">
<div class="gv-chart" role="img" aria-labelledby="caption-{cell}" data-figure="{cell}.json"></div>
{_slider(figure)}
<p class="gv-no-script">{words["no_script"]}</p>
<figcaption id="caption-{cell}" markdown="span">{caption}</figcaption>
<details class="gv-data" data-pagefind-ignore>
<summary>{words["data"]}</summary>
<div role="region" aria-labelledby="caption-{cell}" tabindex="0">{table(figure, language)}</div>
</details>
</figure>"""


def picture(png, cell, caption):
    """Return the part of a page that shows the picture of a cell, a PNG in base 64."""
    width, height = struct.unpack(">II", base64.b64decode(png)[16:24])
    return f"""\
<figure class="gv-figure" markdown="block">
<img class="gv-picture" src="{cell}.png" width="{width}" height="{height}" \
aria-labelledby="caption-{cell}" loading="lazy">
<figcaption id="caption-{cell}" markdown="span">{caption}</figcaption>
</figure>"""


def _slider(figure):
    if "sliders" not in figure["layout"]:
        return ""
    (slider,) = figure["layout"]["sliders"]
    prefix, state = slider["currentvalue"]["prefix"], slider["steps"][slider["active"]]["label"]
    return (
        f'<div class="gv-slider"><output>{escape(prefix + state)}</output><input type="range" '
        f'aria-label="{escape(prefix.strip(" =:"))}" aria-valuetext="{escape(state)}" '
        f'max="{len(slider["steps"]) - 1}" value="{slider["active"]}" autocomplete="off" disabled>'
        "</div>"
    )


def table(figure, language):
    """Return the data of the figure as a table in HTML, with a column for each trace."""
    layout, traces = figure["layout"], figure["data"]
    head = [layout["xaxis"]["title"]["text"], *(trace["name"] for trace in traces)]
    if "sliders" in layout:
        (slider,) = layout["sliders"]
        head.insert(0, slider["currentvalue"]["prefix"].strip(" =:"))
        states = [(step["label"], step["args"][0]) for step in slider["steps"]]
        rows = [[label, *row] for label, data in states for row in _rows(data["x"], data["y"])]
    else:
        rows = _rows([trace["x"] for trace in traces], [trace["y"] for trace in traces])
    head = "".join(f'<th scope="col">{escape(text)}</th>' for text in head)
    body = "".join(f"<tr>{''.join(_cell(value, language) for value in row)}</tr>" for row in rows)
    return f"<table><thead><tr>{head}</tr></thead><tbody>{body}</tbody></table>"


def _rows(xs, ys):
    """Return a row for each x that occurs, with the y of each trace."""
    columns = [dict(zip(numbers(x), numbers(y), strict=True)) for x, y in zip(xs, ys, strict=True)]
    places = dict.fromkeys(place for column in columns for place in column)
    return [[place, *(column.get(place) for column in columns)] for place in places]


def numbers(array):
    if isinstance(array, list):
        return array
    # As Plotly packs NumPy's arrays.
    return np.frombuffer(base64.b64decode(array["bdata"]), array["dtype"]).tolist()


def _cell(value, language):
    if value is None:
        return "<td></td>"
    text = escape(value) if isinstance(value, str) else values.localized(f"{value:.4g}", language)
    return f"<td>{text}</td>"
