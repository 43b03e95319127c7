"""A notebook runs once per change; what goes wrong names file, line and cell."""

import platform
from types import SimpleNamespace

import pytest
from mkdocs.exceptions import PluginError

from gradvalve_site import notebooks

ONE_CELL = "# %% first\nprint('value: 1')\n"


@pytest.fixture
def runs(monkeypatch):
    """The names of the notebooks that ran."""
    names, run = [], notebooks._run
    monkeypatch.setattr(
        notebooks, "_run", lambda path, *rest: names.append(path.stem) or run(path, *rest)
    )
    return names


@pytest.fixture
def own_cache(monkeypatch, tmp_path):
    """Instead of the one for all tests: each begins with nothing kept."""
    monkeypatch.setattr(notebooks, "CACHE", tmp_path / "cache")


def kept():
    return {path.name: path.read_bytes() for path in notebooks.CACHE.glob("*.ipynb")}


def test_code_output_figure_and_versions_are_kept(load):
    notebook = load()

    answer, chart, _ = notebook.cells.values()
    assert (answer.name, answer.text, answer.figure) == ("answer", "half: 0.5\n", None)
    assert answer.code.startswith("answer = 0.5\n")
    assert (chart.name, chart.text) == ("chart", "")
    assert chart.figure["data"][0]["name"] == "rising"
    assert notebook.versions["Python"] == platform.python_version()
    assert notebooks.values(notebook) == {"half": "0.5"}


def test_of_progress_what_a_later_line_overwrote_is_dropped(load):
    notebook = load("# %% first\nprint('1/2\\r2/2\\r   \\rvalue: 1')\n")

    assert notebook.cells["first"].text == "value: 1\n"


def test_modules_are_tied_to_the_packages_that_bring_them(load):
    notebook = load("# %% first\nimport PIL\nimport tensorflow\n")

    assert notebook.packages["PIL"] == "pillow"
    assert {"pillow", "tensorflow"} < notebook.versions.keys()  # the latter however it was built


def test_notebooks_that_run_at_the_same_time_share_no_socket(load):
    told = """\
# %% first
import json

from ipykernel.connect import get_connection_info

json.loads(get_connection_info())["ip"]
"""
    places = [load(told + end).cells["first"].text for end in ("", "\n# %% second\n")]

    assert places[0] != places[1]


def test_a_notebook_runs_once(load, runs):
    assert load(ONE_CELL) == load(ONE_CELL)
    assert runs == ["trial"]


def test_it_runs_again_when_it_changes(load, runs):
    load(ONE_CELL)
    load(ONE_CELL.replace("1", "2"))

    assert runs == ["trial"] * 2


def test_it_runs_again_when_something_changes_that_an_import_imports(
    load, runs, monkeypatch, tmp_path
):
    sources = tmp_path / "src"
    (sources / "ours").mkdir(parents=True)
    (sources / "ours/__init__.py").write_text("")
    (sources / "ours/near.py").write_text("from ours import far\n")
    (sources / "ours/far.py").write_text("")
    monkeypatch.setattr(notebooks, "SOURCES", sources)
    monkeypatch.setenv("PYTHONPATH", str(sources))
    text = "# %% first\nfrom ours.near import far\n"
    load(text)
    (sources / "ours/unrelated.py").write_text("")
    load(text)
    assert runs == ["trial"]

    (sources / "ours/far.py").write_text("value = 1\n")
    load(text)

    assert runs == ["trial"] * 2


def test_it_runs_again_under_another_version(load, runs, monkeypatch):
    load(ONE_CELL)
    monkeypatch.setattr(platform, "python_version", lambda: "3.99.0")

    assert load(ONE_CELL).versions == {"Python": "3.99.0"}
    assert runs == ["trial"] * 2


def test_progress_is_told_while_it_runs(load, caplog):
    with caplog.at_level("INFO", "mkdocs.plugins.gradvalve"):
        load(ONE_CELL + "# %% second\n1 + 1\n")

    assert [record.getMessage().removeprefix("gradvalve: ") for record in caplog.records] == [
        "notebook trial: cell 1/2 first",
        "notebook trial: cell 2/2 second",
    ]


@pytest.mark.parametrize("end", [KeyboardInterrupt(), PluginError("")])
def test_a_run_that_ends_early_leaves_the_last_good_one(load, runs, monkeypatch, end):
    good = load(ONE_CELL)
    before = kept()

    class Client(SimpleNamespace):
        def execute(self, **_):
            raise end

    with monkeypatch.context() as patch:
        patch.setattr(notebooks, "NotebookClient", lambda *_, **__: Client())
        with pytest.raises(type(end)):
            load(ONE_CELL.replace("1", "2"))

    assert kept() == before
    assert load(ONE_CELL) == good
    assert runs == ["trial"] * 2


MISTAKES = {
    "a failing cell": (
        "# %% first\nx = 0\n\n# %% second\n# why\n1 / x\n",
        "notebooks/trial.py:6: cell second: ZeroDivisionError: division by zero",
    ),
    "a failing function": (
        "# %% first\ndef f():\n    return 1 / 0\n\n\n# %% second\nf()\n",
        "notebooks/trial.py:7: cell second: ZeroDivisionError",
    ),
    "a kernel that dies": (
        "# %% first\nimport os\n\nos._exit(1)\n",
        "notebooks/trial.py:1: cell first: Kernel died",
    ),
    "a warning": (
        "# %% first\nimport warnings\n\nwarnings.warn('old', stacklevel=1)\n",
        "notebooks/trial.py:1: cell first: it wrote to standard error",
    ),
    "a syntax error": ("# %% first\nx = 1\n# %% second\nx =\n", "notebooks/trial.py:4: invalid"),
    "a cell without a name": ("# %% first\n1\n\n# %%\n2\n", "a new name; see '2'"),
    "code outside of a cell": ("import math\n\n# %% first\n2\n", "a new name; see 'import math'"),
    "prose": ("# %% first\n1\n\n# %% [markdown]\n# Prose\n", "a new name; see 'Prose'"),
    "a name twice": ("# %% first\n1\n\n# %% first\n2\n", "a new name; see 'first'"),
    "a figure and a picture in a cell": (
        "# %% first\nfrom PIL import Image\n\nfrom gradvalve.measure import bar_figure\n\n"
        "bar_figure({'a': {1: 1}}, 'x', 'y').show()\nImage.new('L', (1, 1))\n",
        "notebooks/trial.py:1: cell first: it draws 2 figures",
    ),
    "two figures in a cell": (
        "# %% first\nfrom gradvalve.measure import bar_figure\n\n"
        "bar_figure({'a': {1: 1}}, 'x', 'y').show()\nbar_figure({'a': {1: 1}}, 'x', 'y')\n",
        "notebooks/trial.py:1: cell first: it draws 2 figures",
    ),
}


@pytest.mark.parametrize("mistake", MISTAKES)
def test_mistakes_name_the_file_and_the_cell(load, mistake):
    text, message = MISTAKES[mistake]

    with pytest.raises(PluginError) as caught:
        load(text)

    assert message in str(caught.value)
    assert kept() == {}


def test_a_key_that_is_printed_twice_is_an_error(load):
    notebook = load("# %% first\nprint('a: 1')\n\n# %% second\nprint('a: 2')\n")

    with pytest.raises(PluginError, match=r"notebooks/trial\.py:2: the key 'a' is printed"):
        notebooks.values(notebook)


def test_data_that_the_program_names_lie_where_it_runs_and_count_as_a_change(load, runs, tmp_path):
    data = tmp_path / "docs/data/sizes.json"
    data.parent.mkdir(parents=True)
    (data.parent / "other.json").write_text("{}")
    text = "# %% first\nprint('value:', open('sizes.json').read())\n"
    data.write_text("1")
    assert load(text).data == [data]
    assert load(text).cells["first"].text == "value: 1\n"

    data.write_text("2")

    assert load(text).cells["first"].text == "value: 2\n"
    assert runs == ["trial"] * 2
