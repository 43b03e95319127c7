"""The package needs nothing, and each of its files nothing but its framework."""

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


def test_the_blockade_would_notice():
    done = run("-c", BLOCKADE + "import gradvalve.tensorflow")

    assert "tensorflow is not part of Python" in done.stderr


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


@pytest.fixture
def copy(tmp_path):
    return shutil.copy(ROOT / "src/gradvalve/tensorflow.py", tmp_path / "gradvalve_tensorflow.py")


def test_a_copy_keeps_the_claims(copy):
    done = claims_about(
        copy, "-k", "eager and (C37 or C52 or P02 or P06 or nests or zero or bitwise)"
    )

    assert done.returncode == 0, done.stdout + done.stderr
    assert "passed" in done.stdout


def test_a_broken_copy_does_not(copy):
    copy.write_text(copy.read_text().replace("MulNoNan", "Mul"))

    done = claims_about(copy, "-k", "eager and zero_scale", "-x")

    assert done.returncode == 1
    assert "test_zero_scale_stops_even_infinite_gradients" in done.stdout
