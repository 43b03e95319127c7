"""Pages show every cell of their notebook, in order and in their language."""

import json
from types import SimpleNamespace

import pytest
from bs4 import BeautifulSoup
from mkdocs.exceptions import PluginError

from gradvalve_site import values

LABELS = {"rising": "steigend", "steps": "Schritte", "size": "Größe"}


@pytest.fixture
def german(fill, meta):
    """The page in German."""
    return fill(language="de", meta=meta | {"labels": LABELS})


def test_a_cell_shows_its_code_and_its_output(fill):
    text = fill()

    assert '````python\nanswer = 0.5\nprint(f"half: {answer}")\n````' in text
    assert '````text title="Output"\nhalf: 0.5\n````' in text
    assert "cell:" not in text


def test_words_around_cells_speak_the_language(german):
    assert '````text title="Ausgabe"' in german
    assert "<summary>Daten zu diesem Diagramm</summary>" in german
    assert ">Notebook herunterladen</a> · ausgeführt mit <bdi" in german


def test_the_page_says_with_what_it_ran(fill, load):
    versions = load().versions

    assert set(versions) == {"Python", "plotly", "tensorflow"}  # measure.py imports both
    for name, version in versions.items():
        assert f"{name} {version}" in fill()


@pytest.mark.usefixtures("german")
def test_figures_lie_beside_the_page_in_its_language(fill):
    figure = json.loads(fill.files["notebooks/trial/chart.json"])

    (trace,) = figure["data"]
    assert (trace["name"], trace["x"], trace["y"]) == ("steigend", [1, 2], [1.0, 1234.5])
    assert figure["layout"]["xaxis"]["title"]["text"] == "Schritte"
    assert figure["layout"]["separators"] == ",\u202f"
    assert not {"template", "colorway"} & set(figure["layout"])


def table(text, number):
    found = BeautifulSoup(text, "lxml").find_all("table")[number]
    return [[cell.text for cell in row.find_all(["th", "td"])] for row in found.find_all("tr")]


def test_figures_have_their_data_as_a_table(fill, german):
    assert table(fill(), 0) == [["steps", "rising"], ["1", "1"], ["2", "1234"]]
    assert table(german, 0)[0] == ["Schritte", "steigend"]


def test_the_table_of_a_figure_with_a_slider_has_all_its_positions(fill):
    assert table(fill(), 1) == [
        ["K", "steps", "rising"],
        ["1", "1", "1"],
        ["2", "1", "1"],
        ["2", "2", ""],
    ]


def test_arrays_that_plotly_has_packed_are_unpacked_for_the_table(fill):
    packed = """\
# %% answer
import numpy
from plotly.graph_objects import Figure

layout = {"xaxis": {"title": {"text": "x"}}}
Figure({"data": [{"name": "y", "x": [1, 2], "y": numpy.array([0.5, 2])}], "layout": layout})
"""
    meta = {"notebook": "trial", "captions": {"answer": "Packed."}}

    assert (
        '"bdata"' in (fill(["{{ cell:answer }}"], meta=meta, notebook=packed), str(fill.files))[1]
    )
    assert table(fill.text, 0) == [["x", "y"], ["1", "0.5"], ["2", "2"]]


PICTURE = """\
# %% answer
from PIL import Image

Image.new("L", (3, 2))
"""


def test_a_picture_lies_beside_the_page_with_its_size_and_its_caption(fill):
    meta = {"notebook": "trial", "captions": {"answer": "Dark."}}

    text = fill(["{{ cell:answer }}"], meta=meta, notebook=PICTURE)

    image = BeautifulSoup(text, "lxml").img
    assert (image["src"], image["width"], image["height"]) == ("answer.png", "3", "2")
    assert BeautifulSoup(text, "lxml").find(id=image["aria-labelledby"]).text == "Dark."
    assert fill.files["notebooks/trial/answer.png"].startswith(b"\x89PNG")
    download = json.loads(fill.files["downloads/notebooks/en/trial.ipynb"])
    *_, painted, _ = download["cells"]
    assert painted["outputs"][0]["data"]["image/png"]


def test_a_picture_needs_a_caption(fill):
    with pytest.raises(PluginError, match="the cell 'answer' needs a caption"):
        fill(["{{ cell:answer }}"], meta={"notebook": "trial"}, notebook=PICTURE)


def test_prose_takes_numbers_from_the_notebook(load, tmp_path):
    load()
    config = SimpleNamespace(docs_dir=tmp_path / "docs")
    page = SimpleNamespace(file=SimpleNamespace(locale="de"))

    assert values.fill("{{ trial:half }} {{ trial:half | .2f }}", page, config) == "0,5 0,50"


def test_colab_and_binder_are_offered_where_the_repository_is_known(fill):
    assert "colab" not in fill()
    assert "binder" not in fill.text

    text = fill(repository="https://github.com/someone/something/")

    branch = "someone/something/blob/notebooks/en/trial.ipynb"
    assert f'href="https://colab.research.google.com/github/{branch}"' in text
    tree = "someone/something/notebooks?urlpath=lab/tree/en/trial.ipynb"
    assert f'href="https://mybinder.org/v2/gh/{tree}"' in text


ANSWER, CHART, SLIDER = ["{{ cell:answer }}", "{{ cell:chart }}", "{{ cell:slider }}"]
MISTAKES = {
    "an unknown cell": (
        {"prose": [ANSWER, "{{ cell:chat }}", SLIDER]},
        "trial.md:{chat}: there is no cell 'chat'; the cells: answer, chart, slider",
    ),
    "cells in another order": (
        {"prose": [ANSWER, SLIDER, CHART]},
        "trial.md:{slider}: the cell 'slider' stands where the notebook has 'chart'",
    ),
    "a cell left out": (
        {"prose": [ANSWER, SLIDER]},
        "trial.md:{slider}: the cell 'slider' stands where the notebook has 'chart'",
    ),
    "the last cell left out": (
        {"prose": [ANSWER, CHART]},
        "trial.md:2: the page lacks the cell 'slider'",
    ),
    "a cell twice": (
        {"prose": [ANSWER, ANSWER]},
        "trial.md:10: the cell 'answer' stands on the page twice",
    ),
    "cells without a notebook": (
        {"meta": {}},
        "trial.md:{answer}: a page with cells needs 'notebook: NAME' on top",
    ),
    "no such notebook": (
        {"meta": {"notebook": "nothing"}},
        "trial.md:2: notebooks/nothing.py does not exist",
    ),
    "no caption": (
        {"captions": {"chart": "One."}},
        "trial.md:3: the cell 'slider' needs a caption",
    ),
    "a caption too many": (
        {"captions": {"answer": "One.", "chart": "Two.", "slider": "Three."}},
        "trial.md:3: the cell 'answer' has a caption, but draws nothing",
    ),
    "no labels": (
        {"language": "de"},
        "trial.md: the label 'rising' has no translation",
    ),
    "a missing label": (
        {"language": "de", "labels": {"rising": "steigend", "size": "Größe"}},
        "trial.md:6: the label 'steps' has no translation",
    ),
    "an unknown label": (
        {"language": "de", "labels": LABELS | {"falling": "fallend"}},
        "trial.md:10: no figure has the label 'falling'",
    ),
    "a trace that Plotly basic lacks": (
        {
            "prose": [ANSWER],
            "captions": {"answer": "Heat."},
            "notebook": "# %% answer\nfrom plotly.graph_objects import Figure, Heatmap\n\n"
            "Figure(Heatmap(z=[[1]]))\n",
        },
        "notebooks/trial.py: cell answer: the site draws traces of type bar, pie, scatter, not h",
    ),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistakes_name_the_file_the_line_and_the_cell(fill, meta, tmp_path, mistake):
    arguments, message = MISTAKES[mistake]
    arguments = dict(arguments)
    front = {name: arguments.pop(name) for name in ("captions", "labels") if name in arguments}

    with pytest.raises(PluginError) as caught:
        fill(**{"meta": meta | front} | arguments)

    lines = next(tmp_path.glob("docs/*/notebooks/trial.md")).read_text().splitlines()
    line = {text[8:-3]: number for number, text in enumerate(lines, 1) if "cell:" in text}
    assert message.format(**line) in str(caught.value)
