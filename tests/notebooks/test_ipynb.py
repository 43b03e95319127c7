"""The notebook of a language, as Jupyter gets it."""

import ast

import nbformat
import pytest
from IPython.core.inputtransformer2 import TransformerManager

from gradvalve import measure

LABELS = {"rising": "صاعد", "steps": "الخطوات", "size": "المقدار"}


@pytest.fixture
def written(fill):
    """A function that returns the notebook of a page."""

    def write(*prose, language="en", **arguments):
        cells = ["{{ cell:answer }}", "{{ cell:chart }}", "{{ cell:slider }}"]
        fill([*prose, *cells], language, **arguments)
        content = fill.files[f"downloads/notebooks/{language}/trial.ipynb"]
        notebook = nbformat.reads(content, as_version=4)
        nbformat.validate(notebook)
        return notebook

    return write


def test_prose_and_code_alternate_as_on_the_page(written):
    cells = written("Text.").cells

    title, install, answer, chart, caption, _, more = cells
    assert title.source == "# Title\n\nText."
    assert "%pip install" in install.source
    assert answer.source.startswith("answer = 0.5\n")
    assert answer.outputs[0].text == "half: 0.5\n"
    assert chart.outputs[0].data["application/vnd.plotly.v1+json"]["data"][0]["name"] == "rising"
    assert caption.source == "It `rises` to 0.5."
    assert more.source == "More."


PLAIN = {
    "a heading's id": ("## Heading { #id .class }", "## Heading"),
    "a class": ("Text{ .class } text.", "Text text."),
    "braces in formulas and code": (r"$\frac{1}{K}$ `{ #x }`", r"$\frac{1}{K}$ `{ #x }`"),
    "a comment": ("Text<!-- no\nprose -->.", "Text."),
    "Markdown in HTML": (
        '<div class="x" markdown="1">\n\nText\n</div>',
        '<div class="x">\n\nText\n</div>',
    ),
    "a number": ("It is {{ trial:half | .2f }}.", "It is 0.50."),
    "an anchor": ("[x](#title)", "[x](https://example.org/some/where/notebooks/trial/#title)"),
    "a foreign link": ("[x](https://example.org/)", "[x](https://example.org/)"),
    "a note": (
        '!!! note "Title"\n\n    One\n    two.\n\nThree.',
        "> **Title**\n> \n> One\n> two.\n\nThree.",
    ),
    "a note that opens": ('??? tip "Title"\n\n    One.', "> **Title**\n> \n> One."),
    "tabs": (
        '=== "A"\n\n    One.\n\n=== "B"\n\n    Two.',
        "> **A**\n> \n> One.\n\n> **B**\n> \n> Two.",
    ),
    "a note in a note": (
        '!!! note "A"\n\n    !!! note "B"\n\n        One.',
        "> **A**\n> \n> > **B**\n> > \n> > One.",
    ),
    "code with a title": ('```text title="Output"\n1\n```', "**Output**\n\n```text\n1\n```"),
    "code with marked lines": ('```python hl_lines="1"\n1\n```', "```python\n1\n```"),
    "code that looks like a note": (
        '```text\n!!! note "A"\n\n    x\n```',
        '```text\n!!! note "A"\n\n    x\n```',
    ),
    "a snippet": (
        '```python\n--8<-- "scale/with_tensorflow.py:1:1"\n```',
        "```python\nimport tensorflow as tf\n```",
    ),
}


@pytest.mark.parametrize("kind", PLAIN)
def test_prose_becomes_plain_markdown(written, kind):
    prose, plain = PLAIN[kind]

    first, *_ = written(prose).cells

    assert first.source == f"# Title\n\n{plain}"


def test_what_is_missing_is_installed_from_the_site(written, load):
    _, install, *_ = written().cells

    ast.parse(TransformerManager().transform_cell(install.source))
    address = "https://example.org/some/where/downloads/gradvalve-0.1.0-py3-none-any.whl"
    assert f'"gradvalve": "gradvalve[plotly]@{address}"' in install.source
    assert f'"plotly": "plotly=={load().versions["plotly"]}"' in install.source
    assert "Python" not in install.source


@pytest.fixture
def arabic(written, meta):
    """A function that returns the notebook of the page in Arabic."""
    return lambda *prose: written(*prose, language="ar", meta=meta | {"labels": LABELS})


def test_only_a_translation_hands_over_labels(written, arabic):
    assert [cell for cell in written().cells if "use_labels" in cell.source] == []

    (cell,) = [cell for cell in arabic().cells if "use_labels" in cell.source]
    assert '"rising": "صاعد"' in cell.source


def test_run_again_the_figures_come_out_as_they_were_stored(arabic, monkeypatch):
    cells = [cell for cell in arabic().cells if cell.cell_type == "code"]
    monkeypatch.setattr(measure, "_language", dict(measure._language))
    labels, chart = cells[1].source, cells[3]

    exec(labels)
    figure = eval(chart.source.partition("\n\n")[2], {"measure": measure}).to_plotly_json()

    stored = chart.outputs[0].data["application/vnd.plotly.v1+json"]
    assert figure["data"] == stored["data"]
    assert figure["layout"]["xaxis"] == stored["layout"]["xaxis"]
    assert figure["layout"]["separators"] == stored["layout"]["separators"]
    assert stored["layout"]["xaxis"]["title"]["text"] == "\u2067الخطوات\u2069"


def test_arabic_runs_from_right_to_left_and_code_in_it_from_left_to_right(arabic):
    first, *_ = arabic("نص `(1-s)` و $(1-s)$.", "```python\n1\n```").cells

    assert first.source == (
        '<div dir="rtl">\n\n# Title\n\nنص <bdi dir="ltr">`(1-s)`</bdi> و $(1-s)$.\n\n'
        '<div dir="ltr">\n\n```python\n1\n```\n\n</div>\n\n</div>'
    )


def test_two_builds_write_the_same(written):
    assert written("Text.") == written("Text.")


def test_data_travel_along(fill, tmp_path):
    data = tmp_path / "docs/data/sizes.json"
    data.parent.mkdir(parents=True)
    data.write_text('{\n  "64": 1\n}\n')
    program = "# %% first\nprint(open('sizes.json').read())\n"

    fill(["{{ cell:first }}"], notebook=program, meta={"notebook": "trial"})

    content = fill.files["downloads/notebooks/en/trial.ipynb"]
    _, _, writing, first = nbformat.reads(content, as_version=4).cells
    assert writing.source == f"%%writefile sizes.json\n{data.read_text()}"
    assert first.outputs[0].text.strip() == data.read_text().strip()
