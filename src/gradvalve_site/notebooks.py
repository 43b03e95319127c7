"""Runs notebooks, once per change, and keeps what came out.

`notebooks/NAME.py` is a program in cells, each below a line `# %% cell_name`. Pages pull the cells
in, see cells.py, and take numbers from the lines `key: value` that they print. A file of docs/data
that the program names lies in the folder where it runs. A run is kept in .cache/notebooks under a
name that changes with the program, with its data, with what it imports from src/, and with the
versions of the packages that it imports.
"""

import ast
import functools
import hashlib
import os
import platform
import re
import subprocess
import sys
import tempfile
from importlib import metadata
from pathlib import Path
from typing import NamedTuple

import jupytext
import nbformat
from jupyter_client.kernelspec import KernelSpecManager
from jupyter_client.manager import AsyncKernelManager
from mkdocs.exceptions import PluginError
from mkdocs.plugins import get_plugin_logger
from nbclient import NotebookClient
from nbclient.exceptions import CellControlSignal, DeadKernelError
from traitlets import default
from traitlets.config import Config

from gradvalve_site import snippets

ROOT = Path(__file__).resolve().parents[2]
CACHE = ROOT / ".cache/notebooks"
SOURCES = ROOT / "src"
COLOR = re.compile(r"\x1b\[[\d;]*m")  # in tracebacks
OVERWRITTEN = re.compile(r"[^\n]*\r(?!\n)")  # by what follows, as progress is
PLOTLY = "application/vnd.plotly.v1+json"
PICTURE = "image/png"

log = get_plugin_logger("gradvalve")
_distributions = functools.cache(metadata.packages_distributions)  # it takes a second


class Cell(NamedTuple):
    name: str
    code: str
    text: str  # what it printed
    figure: dict | None = None  # what it drew, as Plotly's JSON
    picture: str | None = None  # what it painted, as a PNG in base 64


class Notebook(NamedTuple):
    name: str
    cells: dict[str, Cell]
    versions: dict[str, str]  # of Python and of the packages with which it ran
    packages: dict[str, str]  # for each module that it imports, the package to install
    data: list[Path]  # what it reads of docs/data


class Kernel(AsyncKernelManager):
    """A kernel that runs under this Python, whatever else the reader has installed."""

    transport = "ipc"  # no port that others could reach

    @default("kernel_spec_manager")
    def _this_python(self):
        return KernelSpecManager(kernel_dirs=[])


def source_folder(config) -> Path:
    return Path(config.docs_dir).parent / "notebooks"


@functools.cache
def load(name: str, folder: Path) -> Notebook:
    """Return `folder/NAME.py` as it ran; if it has changed since then, run it now.

    Raises LookupError if there is no such file, PluginError if it fails, warns or isn't in cells.
    """
    path = folder / f"{name}.py"
    if not path.is_file():
        raise LookupError(f"notebooks/{name}.py does not exist")
    files, packages = _imported(path)
    versions = {"Python": platform.python_version()} | {
        name.removesuffix("_cpu"): metadata.version(name) for name in packages.values()
    }
    data = _data(path)
    texts = [file.read_text(encoding="utf-8") for file in [*files, *data]]
    key = hashlib.sha256(repr((texts, versions)).encode()).hexdigest()[:16]
    kept = CACHE / f"{name}-{key}.ipynb"
    if not kept.exists():
        CACHE.mkdir(parents=True, exist_ok=True)
        notebook = _run(path, _read(path), data)
        # Aside first: neither an interrupted run nor one at the same time leaves half a file.
        with tempfile.NamedTemporaryFile("w", dir=CACHE, delete=False, encoding="utf-8") as aside:
            nbformat.write(notebook, aside)
        Path(aside.name).replace(kept)
    ran = nbformat.read(kept, as_version=4)
    cells = {cell.metadata.title: _cell(cell) for cell in ran.cells}
    return Notebook(name, cells, versions, packages, data)


def values(notebook: Notebook) -> dict[str, str]:
    """Return the values of the lines `key: value` that the notebook printed."""
    text = "".join(cell.text for cell in notebook.cells.values())
    try:
        return snippets.parse(text, f"output of notebooks/{notebook.name}.py")
    except ValueError as error:
        raise PluginError(*error.args) from None


def _imported(path: Path) -> tuple[list[Path], dict[str, str]]:
    """Return the file and those of src/ that it imports, and the packages of all else."""
    files, modules, left = [], set(), [path]
    while left:
        file = left.pop()
        if file in files:
            continue
        files.append(file)
        for name in _imports(file):
            place, top = SOURCES / name.replace(".", "/"), name.partition(".")[0]
            own = [place.with_suffix(".py"), place / "__init__.py"]
            left += [each for each in own if each.is_file()]
            if top not in sys.stdlib_module_names and not (SOURCES / top).is_dir():
                modules.add(top)
    distributions = _distributions()
    packages = {name: distributions[name][0] for name in sorted(modules & distributions.keys())}
    return files, packages


def _data(path: Path) -> list[Path]:
    strings = {node.value for node in _nodes(path) if isinstance(node, ast.Constant)}
    return [file for file in sorted(path.parents[1].glob("docs/data/*")) if file.name in strings]


def _nodes(file: Path):
    try:
        return ast.walk(ast.parse(file.read_text(encoding="utf-8")))
    except SyntaxError as error:
        raise PluginError(f"notebooks/{file.name}:{error.lineno}: {error.msg}") from None


def _imports(file: Path) -> list[str]:
    names = []
    for node in _nodes(file):
        if isinstance(node, ast.Import):
            names += [alias.name for alias in node.names]
        elif isinstance(node, ast.ImportFrom) and not node.level:
            names += [node.module, *(f"{node.module}.{alias.name}" for alias in node.names)]
    return names


def _read(path: Path) -> nbformat.NotebookNode:
    notebook = jupytext.read(path, fmt="py:percent")
    seen = set()
    for cell in notebook.cells:
        name = cell.metadata.get("title", "")
        if cell.cell_type != "code" or not re.fullmatch(r"\w+", name) or name in seen:
            start = cell.source.partition("\n")[0]
            reason = "each cell is code below a line of its own '# %% name', with a new name"
            raise PluginError(f"notebooks/{path.name}: {reason}; see {name or start!r}")
        seen.add(name)
    return notebook


def _run(path: Path, notebook: nbformat.NotebookNode, data: list[Path]) -> nbformat.NotebookNode:
    started = []

    def announce(cell, **_):
        started.append(cell)
        place = f"cell {len(started)}/{len(notebook.cells)}"
        log.info(f"notebook {path.stem}: {place} {cell.metadata.title}")

    environment = os.environ | {
        "IPYTHONDIR": str(CACHE / "ipython"),
        "PLOTLY_RENDERER": "plotly_mimetype",
        "TF_CPP_MIN_LOG_LEVEL": "3",
    }
    # By default, notebooks that run at the same time would share their sockets.
    with tempfile.TemporaryDirectory() as sockets:
        client = NotebookClient(
            notebook,
            config=Config({"Kernel": {"ip": f"{sockets}/kernel"}}),
            kernel_manager_class=Kernel,
            timeout=600,
            on_cell_start=announce,
            resources={"metadata": {"path": str(data[0].parent)} if data else {}},
        )
        try:
            # TensorFlow's core tells about the machine there; what Python writes arrives all the
            # same.
            client.execute(env=environment, stderr=subprocess.DEVNULL)
        except (CellControlSignal, DeadKernelError) as error:
            raise _failure(path, started[-1], error) from None
    for cell in notebook.cells:
        noise = snippets.START_UP.sub("", _printed(cell, "stderr"))
        if noise.strip():
            raise _failure(path, cell, f"it wrote to standard error:\n{noise}")
        if (drawn := len(_drawn(cell, PLOTLY) + _drawn(cell, PICTURE))) > 1:
            raise _failure(path, cell, f"it draws {drawn} figures: make it one each")
    return notebook


def _failure(path, cell, reason):
    name = cell.metadata.title
    lines = path.read_text(encoding="utf-8").splitlines()
    line = next(i for i, text in enumerate(lines, 1) if re.fullmatch(rf"# %% {name}\s*", text))
    for output in cell.outputs:
        if output.output_type == "error":
            reason = f"{output.ename}: {output.evalue}"
            inside = re.search(r"In\[\d+\], line (\d+)", COLOR.sub("", "\n".join(output.traceback)))
            line += int(inside[1]) if inside else 0
    return PluginError(f"notebooks/{path.name}:{line}: cell {name}: {reason}")


def _cell(cell) -> Cell:
    shown = [each["data"] for each in cell.outputs if "data" in each]
    texts = [data["text/plain"] + "\n" for data in shown if not {PLOTLY, PICTURE} & data.keys()]
    figure, picture = ((_drawn(cell, kind) or [None])[0] for kind in (PLOTLY, PICTURE))
    text = "".join([_printed(cell, "stdout"), *texts])
    return Cell(cell.metadata.title, cell.source, text, figure, picture)


def _drawn(cell, kind):
    return [each["data"][kind] for each in cell.outputs if kind in each.get("data", {})]


def _printed(cell, stream):
    text = "".join(each.text for each in cell.outputs if each.get("name") == stream)
    return OVERWRITTEN.sub("", text)
