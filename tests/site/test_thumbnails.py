"""The small pictures of charts."""

import re
from pathlib import Path
from types import SimpleNamespace

import pytest
from mkdocs.exceptions import PluginError

from gradvalve_site import thumbnails

FIGURE = {
    "data": [{"x": [0, 1, 2], "y": [1.0, 10.0, 100.0]}, {"x": [0, 1, 2], "y": [1.0, None, 1.0]}],
    "layout": {"xaxis": {}, "yaxis": {"type": "log"}},
}


def curves(figure):
    paths = re.findall(r' d="M(.*?)"', thumbnails._svg(figure))
    return [[tuple(map(float, point.split())) for point in path.split("L")] for path in paths]


def test_a_curve_keeps_its_shape():
    first, _ = curves(FIGURE)

    assert first == [(4, 86), (80, 45), (156, 4)]  # a straight line: the axis is logarithmic


def test_gaps_are_left_out():
    _, second = curves(FIGURE)

    assert second == [(4, 86), (156, 86)]


def test_names_stand_side_by_side():
    names = {
        "data": [{"x": ["few", "many"], "y": [0.0, 1.0]}],
        "layout": {"xaxis": {}, "yaxis": {}},
    }

    assert curves(names) == [[(4, 86), (156, 4)]]


@pytest.mark.parametrize("place", ["exactness/sclaes", "exactness/setup", "exactnes/scales"])
def test_a_place_without_a_chart_is_an_error(place, monkeypatch):
    def load(name, _folder):
        cells = {
            "exactness": {
                "scales": SimpleNamespace(figure=FIGURE),
                "setup": SimpleNamespace(figure=None),
            }
        }
        return SimpleNamespace(cells=cells[name])

    monkeypatch.setattr(thumbnails.notebooks, "load", load)
    monkeypatch.setattr(thumbnails.notebooks, "source_folder", id)
    source = Path(__file__).parents[2] / "docs/en/notebooks/index.md"
    page = SimpleNamespace(
        file=SimpleNamespace(src_uri="en/notebooks/index.md", abs_src_path=source)
    )

    with pytest.raises(
        PluginError, match=f"index.md: notebooks/{place.split('/')[0]}.py has no cell"
    ):
        thumbnails.fill(f"{{{{ thumbnail:{place} }}}}", page, None)
