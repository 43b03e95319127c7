"""Gives the tests a copy of small pages that are in order, to break it."""

import shutil
from pathlib import Path

import pytest

from gradvalve_site import checks

HERE = Path(__file__).parent
TERMS = HERE.parents[1] / "docs" / "terms.csv"


@pytest.fixture
def docs(tmp_path, monkeypatch):
    """The folder docs/ with the pages index.md and valve.md in four languages."""
    monkeypatch.chdir(tmp_path)
    shutil.copytree(HERE / "in_order", "docs")
    shutil.copy(TERMS, "docs")
    return Path("docs")


@pytest.fixture
def after(docs):
    """Replace a text in a page by another and return what the checks say then."""

    def complaints(path: str, old: str, new: str) -> list[str]:
        text = (docs / path).read_text(encoding="utf-8")
        assert text.count(old) == 1
        (docs / path).write_text(text.replace(old, new), encoding="utf-8")
        return [str(complaint) for complaint in checks.check(docs)]

    return complaints
