"""The scripts of live examples are bundled when a source has changed, and else left alone."""

import os
import re
import shutil
import time
from pathlib import Path

import pytest

from gradvalve_site import bundle

ROOT = Path(bundle.__file__).parents[2]


@pytest.fixture
def project(tmp_path):
    """A folder with the sources that may be changed."""
    shutil.copytree(ROOT / bundle.SOURCES, tmp_path / bundle.SOURCES)
    shutil.copytree(ROOT / "src/gradvalve", tmp_path / "src/gradvalve")
    shutil.copy(ROOT / "package-lock.json", tmp_path)
    (tmp_path / "node_modules").symlink_to(ROOT / "node_modules")
    return tmp_path


def test_bundles_hold_all_that_they_import_and_the_licence_of_others(project):
    page, worker = (path.read_text(encoding="utf-8") for path in bundle.provide(project))

    assert "MIT License" in page
    assert "MIT License" in worker
    assert not re.search(r"\bimport *[\"{]", page.partition("*/")[2])
    assert "Automatic differentiation on a graph" in worker  # graph.py


@pytest.mark.parametrize("changed", [f"{bundle.SOURCES}/tree.js", "src/gradvalve/graph.py"])
def test_bundles_are_made_anew_when_a_source_has_changed(project, changed):
    def made():
        return [path.stat().st_mtime_ns for path in bundle.provide(project)]

    first = made()
    assert made() == first
    later = time.time() + 1
    os.utime(project / changed, (later, later))

    assert all(new > old for new, old in zip(made(), first, strict=True))


def test_a_mistake_in_a_script_stops_the_build_and_names_the_line(project):
    with (project / bundle.SOURCES / "tree.js").open("a") as file:
        file.write("\nlet = 1")

    with pytest.raises(RuntimeError, match=r"live/tree\.js:\d+:\d+"):
        bundle.provide(project)
