"""Every snippet runs as pasted, and prints what stands beside it."""

import os
import subprocess
import sys
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

import pytest

from gradvalve_site import snippets

FOLDER = Path(__file__).parents[2] / snippets.FOLDER
SNIPPETS = {str(path.relative_to(FOLDER)): path for path in snippets.find(FOLDER)}


@pytest.fixture(scope="module")
def runs():
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        yield {name: pool.submit(snippets.run, path) for name, path in SNIPPETS.items()}


@pytest.mark.parametrize("name", SNIPPETS)
def test_every_snippet_runs_as_pasted(name, runs):
    recorded = SNIPPETS[name].with_suffix(".txt").read_text(encoding="utf-8")

    assert runs[name].result() == recorded


def test_snippets_and_records_come_in_pairs_and_are_named_after_a_framework():
    records = [path.with_suffix(".txt") for path in SNIPPETS.values()]

    assert sorted(records) == sorted(FOLDER.glob("*/*.txt"))
    assert all(path.name.startswith("with_") for path in records)


def test_snippets_are_in_the_style_of_the_project():
    for command in (["check"], ["format", "--check"]):
        subprocess.run([sys.executable, "-m", "ruff", *command, str(FOLDER)], check=True)


@pytest.fixture
def snippet(tmp_path):
    """Write a snippet and return its path."""

    def write(code: str, name: str = "with_python.py") -> Path:
        path = tmp_path / name
        path.write_text(code, encoding="utf-8")
        return path

    return write


def test_a_snippet_is_alone_in_its_folder_and_under_its_own_name(snippet, monkeypatch):
    monkeypatch.setenv("PYTHONPATH", "somewhere")
    code = "import os, sys\nprint(os.listdir(), sys.argv, os.environ.get('PYTHONPATH'))"

    assert snippets.run(snippet(code)) == "['with_python.py'] ['with_python.py'] None\n"


@pytest.mark.parametrize(
    ("code", "reason"),
    [
        ("import nothing_of_this_name", "ModuleNotFoundError"),
        ("import warnings\nwarnings.warn('old')", "UserWarning: old"),
        ("import sys\nprint('noise', file=sys.stderr)", "noise"),
    ],
)
def test_a_snippet_with_an_error_a_warning_or_noise_fails(code, reason, snippet):
    with pytest.raises(RuntimeError, match=reason):
        snippets.run(snippet(code))


@pytest.mark.parametrize(
    ("code", "reason"),
    [("import 'nothing-of-this-name'", "ERR_MODULE_NOT_FOUND"), ("console.warn('noise')", "noise")],
)
def test_so_does_one_for_node(code, reason, snippet):
    with pytest.raises(RuntimeError, match=reason):
        snippets.run(snippet(code, "with_node.mjs"))


def test_recording_writes_the_output_beside_the_snippet(snippet):
    path = snippet("print('gradient: 0.5')")

    snippets.main([str(path)])

    assert path.with_suffix(".txt").read_text(encoding="utf-8") == "gradient: 0.5\n"


def test_values_are_the_lines_with_a_key(tmp_path):
    record = tmp_path / "with_python.txt"
    record.write_text("A heading\nvalue: 9.0\nweights: [1.0, 2.0]\n", encoding="utf-8")

    assert snippets.values(record) == {"value": "9.0", "weights": "[1.0, 2.0]"}


def test_a_key_that_is_printed_twice_is_an_error_with_its_line(tmp_path):
    record = tmp_path / "with_python.txt"
    record.write_text("value: 9.0\nvalue: 3.0\n", encoding="utf-8")

    with pytest.raises(ValueError, match=r"with_python\.txt:2: the key 'value' is printed twice"):
        snippets.values(record)
