"""A stranger downloads the Arabic notebooks and runs them where there is only Jupyter."""

import functools
import math
import os
import subprocess
import sys
import threading
from http.server import SimpleHTTPRequestHandler, ThreadingHTTPServer
from importlib.metadata import version
from pathlib import Path
from urllib.request import urlopen

import nbformat
import pytest

ROOT = Path(__file__).parents[2]
NAMES = [path.stem for path in sorted((ROOT / "notebooks").glob("*.py"))]
PLOTLY = "application/vnd.plotly.v1+json"


class Quiet(SimpleHTTPRequestHandler):
    def log_message(self, *_):
        pass


@pytest.fixture(scope="module")
def published(new_project):
    """The address of the site, built for this address."""
    project = new_project()
    handler = functools.partial(Quiet, directory=project.folder / "site")
    with ThreadingHTTPServer(("127.0.0.1", 0), handler) as server:
        threading.Thread(target=server.serve_forever, daemon=True).start()
        address = f"http://127.0.0.1:{server.server_port}/"
        done = project.build(address)
        assert done.returncode == 0, done.stderr
        yield address
        server.shutdown()


@pytest.fixture(scope="module")
def jupyter(tmp_path_factory):
    """A function that runs a notebook in a new virtual environment and returns what came out."""
    folder = tmp_path_factory.mktemp("stranger")
    subprocess.run([sys.executable, "-m", "venv", folder / "venv"], check=True)
    packages = [f"{name}=={version(name)}" for name in ("ipykernel", "nbclient")]
    python = folder / "venv/bin/python"
    subprocess.run([python, "-m", "pip", "install", "--quiet", *packages], check=True)
    names = ("PYTHON", "JUPYTER", "IPYTHON", "PLOTLY", "VIRTUAL_ENV")
    environment = {name: value for name, value in os.environ.items() if not name.startswith(names)}
    folders = ("IPYTHONDIR", "JUPYTER_CONFIG_DIR", "JUPYTER_DATA_DIR", "JUPYTER_RUNTIME_DIR")
    environment |= {name: str(folder / "settings") for name in folders}

    def run(content):
        path = folder / "notebook.ipynb"
        path.write_bytes(content)
        command = [folder / "venv/bin/jupyter-execute", "--inplace", path]
        done = subprocess.run(command, env=environment, capture_output=True, encoding="utf-8")
        assert done.returncode == 0, done.stderr
        return nbformat.read(path, as_version=4)

    return run


def figures(notebook):
    outputs = [output for cell in notebook.cells for output in cell.get("outputs", [])]
    return [output.data[PLOTLY] for output in outputs if PLOTLY in output.get("data", {})]


def numbers(trace):
    """Return the heights of a line; nan where it has a gap."""
    return [math.nan if y is None else y for y in trace["y"]]


@pytest.mark.parametrize("name", NAMES)
def test_the_arabic_figures_come_out_again(published, jupyter, name):
    with urlopen(f"{published}downloads/notebooks/ar/{name}.ipynb") as answer:
        content = answer.read()
    stored = figures(nbformat.reads(content, as_version=4))

    again = figures(jupyter(content))

    assert len(again) == len(stored) > 0
    for new, old in zip(again, stored, strict=True):
        assert new["layout"]["xaxis"] == old["layout"]["xaxis"]
        assert new["layout"]["yaxis"] == old["layout"]["yaxis"]
        assert [trace["name"] for trace in new["data"]] == [trace["name"] for trace in old["data"]]
        for new_trace, old_trace in zip(new["data"], old["data"], strict=True):
            assert numbers(new_trace) == pytest.approx(numbers(old_trace), rel=1e-3, nan_ok=True)
