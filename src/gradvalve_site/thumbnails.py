"""Small pictures of the charts in notebooks, for the page that lists them.

`{{ thumbnail:em/magnitudes }}` becomes the lines of the chart that the cell `magnitudes` of
notebooks/em.py draws. It has no words: the sentence beside it says what is to be seen.
"""

import re

import numpy as np

from gradvalve.drawing import at
from gradvalve_site import figures, notebooks
from gradvalve_site.errors import page_error

PLACEHOLDER = re.compile(r"\{\{ *thumbnail:(\w+)/(\w+) *\}\}")
WIDTH, HEIGHT, MARGIN = 160, 90, 4  # the margin holds half a line


def fill(markdown, page, config):
    """Return the page's Markdown with its small pictures."""

    def picture(placeholder):
        name, cell = placeholder.groups()
        try:
            return _svg(notebooks.load(name, notebooks.source_folder(config)).cells[cell].figure)
        except (LookupError, TypeError):
            reason = f"notebooks/{name}.py has no cell '{cell}' that draws lines"
            raise page_error(page, placeholder[0], reason) from None

    return PLACEHOLDER.sub(picture, markdown)


def _svg(figure):
    rows = [[figures.numbers(trace[axis]) for trace in figure["data"]] for axis in "xy"]
    xs, ys = (
        _scaled(row, figure["layout"][f"{axis}axis"]) for axis, row in zip("xy", rows, strict=True)
    )
    curves = "".join(
        f'<path class="gv-curve gv-series-{row}" d="M{"L".join(points)}"></path>'
        for row, points in enumerate(map(_points, xs, ys), start=1)
    )
    size = f'viewBox="0 0 {WIDTH} {HEIGHT}" width="{WIDTH}" height="{HEIGHT}"'
    return f'<svg class="gv-picture gv-thumbnail" aria-hidden="true" {size}>{curves}</svg>'


def _points(x, y):
    """Return the points of a curve as text; gaps are not drawn."""
    width, height = WIDTH - 2 * MARGIN, HEIGHT - 2 * MARGIN
    drawn = zip(MARGIN + width * x, MARGIN + height * (1 - y), strict=True)
    return [f"{at(a)} {at(b)}" for a, b in drawn if np.isfinite(a + b)]


def _scaled(row, axis):
    """Return the arrays of numbers such that all of them lie between 0 and 1."""
    texts = isinstance(row[0][0], str)  # an axis of names: one place after the other
    arrays = [np.arange(len(each)) if texts else np.array(each, float) for each in row]
    if axis.get("type") == "log":
        arrays = [np.log(np.where(array > 0, array, np.nan)) for array in arrays]
    low, high = np.nanmin(np.concatenate(arrays)), np.nanmax(np.concatenate(arrays))
    return [(array - low) / (high - low) for array in arrays]
