"""The notebooks that the site shows; and a small one, and pages with its cells, for tests to break.

A file test_NAME.py with the claims of notebooks/NAME.py takes `notebook`, `printed` and `lines`.
"""

from pathlib import Path
from types import SimpleNamespace

import pytest
import yaml
from mkdocs.structure.files import Files

from gradvalve_site import cells, notebooks

ROOT = Path(__file__).parents[2]
NOTEBOOK = """\
# %% answer
answer = 0.5
print(f"half: {answer}")

# %% chart
from gradvalve import measure

measure.line_figure({"rising": {1: 1.0, 2: 1234.5}}, "steps", "size")

# %% slider
measure.slider_figure(
    {1: {"rising": {1: 1.0}}, 2: {"rising": {1: 1.0, 2: None}}}, "K = ", "steps", "size"
)
"""
CELLS = ["{{ cell:answer }}", "{{ cell:chart }}", "{{ cell:slider }}"]
CAPTIONS = {"chart": "It `rises` to {{ trial:half }}.", "slider": "More."}


@pytest.fixture(scope="module")
def notebook(request):
    """The notebook as it ran for the site."""
    return notebooks.load(request.path.stem.removeprefix("test_"), ROOT / "notebooks")


@pytest.fixture(scope="module")
def printed(notebook):
    """What it printed, texts by key."""
    return notebooks.values(notebook)


@pytest.fixture(scope="module")
def lines(notebook):
    """A function that returns {name: {x: y}} of the figure of a cell."""

    def read(cell):
        traces = notebook.cells[cell].figure["data"]
        return {t["name"]: dict(zip(t["x"], t["y"], strict=True)) for t in traces}

    return read


@pytest.fixture(scope="session")
def cache(tmp_path_factory):
    return tmp_path_factory.mktemp("cache")


@pytest.fixture
def own_cache(monkeypatch, cache):
    """Keeps the runs of the small notebook apart from those of the site."""
    monkeypatch.setattr(notebooks, "CACHE", cache)


@pytest.fixture
def load(tmp_path, own_cache):  # noqa: ARG001
    """A function that runs a notebook with this text."""

    def loaded(text=NOTEBOOK):
        path = tmp_path / "notebooks/trial.py"
        path.parent.mkdir(exist_ok=True)
        path.write_text(text, encoding="utf-8")
        notebooks.load.cache_clear()
        return notebooks.load("trial", path.parent)

    return loaded


@pytest.fixture
def meta():
    """The front matter of the page in English."""
    return {"notebook": "trial", "captions": CAPTIONS}


@pytest.fixture
def fill(tmp_path, load, meta):
    """A function that fills a page; `.files` are the files that it added, by address."""
    english = meta

    def filled(prose=CELLS, language="en", meta=english, notebook=NOTEBOOK, **extra):
        load(notebook)
        text = "# Title { #title }\n\n" + "\n\n".join(prose) + "\n"
        source = tmp_path / "docs" / language / "notebooks/trial.md"
        source.parent.mkdir(parents=True, exist_ok=True)
        front = yaml.safe_dump(meta, sort_keys=False, allow_unicode=True)
        source.write_text(f"---\n{front}---\n\n{text}", encoding="utf-8")
        page = SimpleNamespace(
            meta=meta,
            url="notebooks/trial/",
            file=SimpleNamespace(
                locale=language,
                src_uri=f"{language}/notebooks/trial.md",
                dest_uri="notebooks/trial/index.html",
                url="notebooks/trial/",
                abs_src_path=source,
            ),
        )
        snippets = {"base_path": [str(ROOT / "docs/snippets")]}
        config = SimpleNamespace(
            docs_dir=tmp_path / "docs",
            site_dir=tmp_path / "site",
            site_url="https://example.org/some/where/",
            use_directory_urls=True,
            extra=extra,
            mdx_configs={"pymdownx.snippets": snippets},
            plugins=SimpleNamespace(_current_plugin="tests"),
        )
        files = Files([])
        filled.text = cells.fill(text, page, config, files)
        filled.files = {
            file.src_uri: file.content_bytes
            if file.src_uri.endswith(".png")
            else file.content_string
            for file in files
        }
        return filled.text

    return filled
