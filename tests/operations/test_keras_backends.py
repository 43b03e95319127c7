"""The layers with every backend of Keras, which takes one when it is imported and keeps it.

With JAX and PyTorch it is a copy of the file that is tested, where gradvalve can't be imported.
"""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
ONLY_THE_COPY = """
import sys

import pytest

sys.modules["gradvalve"] = None  # importing it is an error
sys.exit(pytest.main(sys.argv[1:]))
"""


@pytest.fixture
def copy(tmp_path):
    return Path(shutil.copy(ROOT / "src/gradvalve/keras.py", tmp_path / "gradvalve_keras.py"))


def claims_about(copy, backend, *options):
    environment = os.environ | {
        "KERAS_BACKEND": backend,
        "GRADVALVE_KERAS": copy.stem,
        "PYTHONPATH": os.pathsep.join(map(str, [copy.parent, ROOT])),
        "JAX_NUM_CPU_DEVICES": "2",
    }
    folder = ROOT / "tests/operations"
    files = [folder / "test_keras.py", folder / f"keras_in_{backend}.py"]
    options = ["-c", ROOT / "pyproject.toml", "-p", "no:cacheprovider", "-q", *options, *files]
    command = [sys.executable, "-c", ONLY_THE_COPY, *map(str, options)]
    return subprocess.run(command, cwd=copy.parent, env=environment, capture_output=True, text=True)


@pytest.mark.parametrize("backend", ["jax", "torch"])
def test_a_copy_keeps_the_claims(backend, copy):
    done = claims_about(copy, backend)

    assert done.returncode == 0, done.stdout + done.stderr
    assert " passed" in done.stdout
    assert "skipped" not in done.stdout


def test_a_broken_copy_does_not(copy):
    copy.write_text(copy.read_text().replace("scale == 0", "scale != scale"))

    done = claims_about(copy, "jax", "-k", "zero_scale", "-x")

    assert done.returncode == 1
    assert "test_zero_scale_stops_even_infinite_gradients" in done.stdout


def test_a_backend_without_gradients_predicts():
    code = """
import keras
from gradvalve.keras import ScaleGradient, StopGradient

x = keras.ops.ones([2])
assert ScaleGradient(0.5)(x).tolist() == StopGradient()(x).tolist() == [1, 1]
"""
    environment = os.environ | {"KERAS_BACKEND": "numpy"}

    subprocess.run([sys.executable, "-c", code], env=environment, check=True)
