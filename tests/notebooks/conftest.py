"""A small notebook, and pages with its cells, for tests to break."""

from pathlib import Path
from types import SimpleNamespace

import pytest
import yaml
from mkdocs.structure.files import Files

from gradvalve_site import cells, notebooks

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


@pytest.fixture(scope="session")
def cache(tmp_path_factory):
    return tmp_path_factory.mktemp("cache")


@pytest.fixture(autouse=True)
def own_cache(monkeypatch, cache):
    """Keeps the runs of these tests apart from those of the site."""
    monkeypatch.setattr(notebooks, "CACHE", cache)
    notebooks.load.cache_clear()


@pytest.fixture
def load(tmp_path):
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
        snippets = {"base_path": [str(Path(__file__).parents[2] / "docs/snippets")]}
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
        filled.files = {file.src_uri: file.content_string for file in files}
        return filled.text

    return filled
