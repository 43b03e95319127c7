"""The package needs nothing, and each of its files nothing but its framework."""

import ast
import os
import shutil
import subprocess
import sys
import tomllib
from pathlib import Path

import pytest

import gradvalve

ROOT = Path(__file__).parents[2]

BLOCKADE = """
import sys

class Blockade:
    def find_spec(name, path=None, target=None):
        if name.partition(".")[0] not in {*sys.stdlib_module_names, "gradvalve"}:
            raise ImportError(f"{name} is not part of Python")

sys.meta_path.insert(0, Blockade)
"""


def run(*command, **options):
    return subprocess.run([sys.executable, *command], capture_output=True, text=True, **options)


def test_importing_the_package_needs_no_other():
    done = run("-c", BLOCKADE + "import gradvalve")

    assert done.returncode == 0, done.stderr


@pytest.mark.parametrize("name", ["tensorflow", "jax", "torch"])
def test_the_blockade_would_notice(name):
    done = run("-c", BLOCKADE + f"import gradvalve.{name}")

    assert "is not part of Python" in done.stderr


def test_the_version_is_that_of_the_project():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]

    assert gradvalve.__version__ == project["version"]


ONLY_THE_COPY = """
import sys

import pytest

sys.modules["gradvalve"] = None  # importing it is an error
sys.exit(pytest.main(sys.argv[1:]))
"""


def claims_about(copy, *options):
    """Run a part of the claims on a copied file, in a folder where nothing else lies."""
    environment = os.environ | {
        "GRADVALVE_MODULE": copy.stem,
        "PYTHONPATH": os.pathsep.join(map(str, [copy.parent, ROOT])),
    }
    claims = ROOT / "tests/operations/test_claims.py"
    options = ["-c", ROOT / "pyproject.toml", "-p", "no:cacheprovider", "-q", *options, claims]
    return run("-c", ONLY_THE_COPY, *map(str, options), cwd=copy.parent, env=environment)


# What is replaced in a copy to break its rule that a scale of 0 stops all.
BREAKS = {
    "tensorflow": ("MulNoNan", "Mul"),
    "jax": ("scale == 0", "scale != scale"),
    "torch": ("scale == 0", "scale != scale"),
}
each_file = pytest.mark.parametrize("name", BREAKS)


@pytest.fixture
def copy(name, tmp_path):
    return shutil.copy(ROOT / f"src/gradvalve/{name}.py", tmp_path / f"gradvalve_{name}.py")


@each_file
def test_a_copy_keeps_the_claims(copy):
    some = "C37 or C52 or P02 or P06 or nests or zero or bitwise"

    done = claims_about(copy, "-k", f"(eager or autograd) and ({some})")

    assert done.returncode == 0, done.stdout + done.stderr
    assert "passed" in done.stdout


@each_file
def test_a_broken_copy_does_not(copy, name):
    before, after = BREAKS[name]
    copy.write_text(copy.read_text().replace(before, after))

    done = claims_about(copy, "-k", "zero_scale", "-x")

    assert done.returncode == 1
    assert "test_zero_scale_stops_even_infinite_gradients" in done.stdout


@each_file
def test_a_file_imports_its_framework_only(name):
    """And what comes with that, or with Python."""
    allowed = {name, "numpy", *sys.stdlib_module_names}

    tree = ast.parse((ROOT / f"src/gradvalve/{name}.py").read_text())
    imported = [
        *(alias.name for n in ast.walk(tree) if isinstance(n, ast.Import) for alias in n.names),
        *(n.module for n in ast.walk(tree) if isinstance(n, ast.ImportFrom)),
    ]

    assert {module.partition(".")[0] for module in imported} <= allowed
