"""The notebooks that readers take away: one for each language, in Markdown that Jupyter knows."""

import json
import platform
import re
from html.parser import HTMLParser
from pathlib import Path

import nbformat
import pytest
from IPython.core.inputtransformer2 import TransformerManager

ROOT = Path(__file__).parents[2]
LANGUAGES = ["en", "de", "fr", "ar"]
NAMES = [path.stem for path in sorted((ROOT / "notebooks").glob("*.py"))]
ALL = [(name, language) for name in NAMES for language in LANGUAGES]
PLOTLY = "application/vnd.plotly.v1+json"
ARABIC = re.compile("[\u0600-\u06ff]")


@pytest.fixture(scope="module")
def notebook(site):
    """A function that reads a notebook of the site."""

    def read(name, language):
        path = site / f"downloads/notebooks/{language}/{name}.ipynb"
        return nbformat.read(path, as_version=4)

    return read


def prose(notebook):
    """Return the Markdown without code and formulas."""
    text = "\n".join(cell.source for cell in notebook.cells if cell.cell_type == "markdown")
    text = re.sub(r"^(> )*```.*?^(> )*```$", "", text, flags=re.DOTALL | re.MULTILINE)
    return re.sub(r"`[^`]+`|\$\$.+?\$\$|\$[^$\n]+\$", "", text, flags=re.DOTALL)


def figures(notebook):
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    return [output.data[PLOTLY] for output in outputs if PLOTLY in output.get("data", {})]


UNKNOWN_TO_JUPYTER = {
    "a note": (r"^ *(?:!!!|\?\?\?|===)", '!!! note "Title"'),
    "an attribute list": (r"\{:? *[#.]", "## Title { #id }"),
    "a snippet marker": (r"-8<-", '--8<-- "file.py"'),
    "a placeholder": (r"\{\{|\}\}", "{{ trial:half }}"),
    "a relative link": (r"\]\((?!https?:|mailto:)", "[x](../page.md)"),
    "a relative address": (r"\b(?:href|src)=\"(?!https?:|mailto:)", '<a href="../page/">'),
    "Markdown in HTML": (r"<[^>]* markdown\b", '<div markdown="1">'),
    "a comment": (r"<!--", "<!-- comment -->"),
}


@pytest.mark.parametrize(("name", "language"), ALL)
def test_prose_is_markdown_that_jupyter_knows(notebook, name, language):
    text = prose(notebook(name, language))

    found = {kind: re.findall(p, text, re.M) for kind, (p, _) in UNKNOWN_TO_JUPYTER.items()}
    assert found == {kind: [] for kind in UNKNOWN_TO_JUPYTER}


@pytest.mark.parametrize("kind", UNKNOWN_TO_JUPYTER)
def test_that_check_sees_what_jupyter_does_not_know(kind):
    pattern, example = UNKNOWN_TO_JUPYTER[kind]

    assert re.search(pattern, example, re.MULTILINE)


@pytest.mark.parametrize(("name", "language"), ALL)
def test_notebooks_are_valid_and_so_is_their_code(notebook, name, language):
    read = notebook(name, language)

    nbformat.validate(read)
    for cell in read.cells:
        if cell.cell_type == "code":
            compile(TransformerManager().transform_cell(cell.source), name, "exec")


@pytest.mark.parametrize(("name", "language"), ALL)
def test_all_languages_have_the_same_cells(notebook, name, language):
    def shape(language):
        return [
            (cell.source, [output.get("text") for output in cell.outputs])
            if cell.cell_type == "code"
            else "prose"
            for cell in notebook(name, language).cells
            if "use_labels" not in cell.source
        ]

    assert shape(language) == shape("en")


@pytest.mark.parametrize("name", NAMES)
def test_languages_differ_in_prose_and_figures(notebook, name):
    read = [notebook(name, language) for language in LANGUAGES]

    assert len({prose(each) for each in read}) == len(LANGUAGES)
    assert len({json.dumps(figures(each)) for each in read}) == len(LANGUAGES)
    assert ARABIC.search(prose(read[-1]))


class Directions(HTMLParser):
    """Collects the Arabic that doesn't run from right to left."""

    def __init__(self, text):
        super().__init__()
        self.inside, self.wrong = [], []
        self.feed(text)

    def handle_starttag(self, tag, attrs):
        if tag in ("div", "bdi"):
            self.inside.append(dict(attrs).get("dir"))

    def handle_endtag(self, tag):
        if tag in ("div", "bdi"):
            self.inside.pop()

    def handle_data(self, data):
        if ARABIC.search(data) and self.inside[-1:] != ["rtl"]:
            self.wrong.append(data)


@pytest.mark.parametrize("name", NAMES)
def test_arabic_runs_from_right_to_left(notebook, name):
    for cell in notebook(name, "ar").cells:
        if cell.cell_type == "markdown":
            directions = Directions(cell.source)

            assert directions.wrong == []
            assert directions.inside == [], "an element stays open"


def test_arabic_that_runs_from_left_to_right_is_seen():
    assert Directions('<div dir="rtl">نص</div>').wrong == []
    assert Directions("نص").wrong == ["نص"]
    assert Directions('<div dir="rtl"><bdi dir="ltr">نص</bdi></div>').wrong == ["نص"]


@pytest.mark.parametrize(("name", "language"), ALL)
def test_pages_draw_the_figures_of_their_notebook(site, notebook, name, language):
    download = f"downloads/notebooks/{language}/{name}.ipynb"
    texts = {path: path.read_text(encoding="utf-8") for path in site.rglob("index.html")}
    (page,) = [path for path, text in texts.items() if download in text]
    places = re.findall(r'data-figure="([^"]+)"', texts[page])

    drawn = [json.loads((page.parent / place).read_text(encoding="utf-8")) for place in places]
    assert drawn
    assert [each["data"] for each in drawn] == [
        each["data"] for each in figures(notebook(name, language))
    ]


def test_binder_installs_what_the_notebooks_ran_with(site, address):
    binder = site / "downloads/notebooks/binder"

    ours, *others = (binder / "requirements.txt").read_text(encoding="utf-8").splitlines()
    assert (site / ours.removeprefix(f"gradvalve[plotly]@{address}")).is_file()
    assert {line.split("==")[0] for line in others} >= {"numpy", "plotly", "tensorflow"}
    python = re.fullmatch(
        r"python-(3\.\d+)\n", (binder / "runtime.txt").read_text(encoding="utf-8")
    )
    assert platform.python_version().startswith(f"{python[1]}.")
