"""What readers install: the package alone, with no third-party package behind it."""

import re
import subprocess
import sys
import tomllib
import zipfile
from email.parser import Parser
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]


@pytest.fixture(scope="module")
def wheel(tmp_path_factory):
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel"]
    subprocess.run([*command, "--directory", folder], cwd=ROOT, check=True, capture_output=True)
    (path,) = folder.glob("*.whl")
    with zipfile.ZipFile(path) as archive:
        archive.extractall(folder)
    return folder


def test_the_wheel_holds_the_package_and_not_the_site(wheel):
    folders = {path.name for path in wheel.iterdir() if path.is_dir()}

    assert {name.split("-")[0] for name in folders} == {"gradvalve"}
    shipped = {path.relative_to(wheel) for path in wheel.glob("gradvalve/**/*.py")}
    assert shipped == {
        path.relative_to(ROOT / "src") for path in ROOT.glob("src/gradvalve/**/*.py")
    }


def test_the_wheel_requires_nothing_and_names_its_licence(wheel):
    (path,) = wheel.glob("*.dist-info/METADATA")
    metadata = Parser().parsestr(path.read_text())

    required = metadata.get_all("Requires-Dist")
    assert [entry for entry in required if "extra ==" not in entry] == []
    assert metadata["License-Expression"] == "Apache-2.0"
    assert metadata.get_all("License-File") == ["LICENSE", "LICENSES/Apache-2.0.txt"]


def test_it_imports_without_any_other_package(wheel):
    # -I and -S hide everything that is installed, the current folder too.
    code = f"import sys; sys.path.insert(0, {str(wheel)!r}); import gradvalve"

    subprocess.run([sys.executable, "-I", "-S", "-c", code], check=True)


@pytest.mark.parametrize(
    ("framework", "installed"), [("tensorflow", "tensorflow-cpu"), ("jax", "jax")]
)
def test_the_lowest_version_that_the_package_allows_is_the_one_tested(framework, installed):
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    (allowed,) = project["project"]["optional-dependencies"][framework]
    lock = (ROOT / f"requirements/lowest-{framework}.txt").read_text()
    tested = re.search(rf"^{installed}==(\S+)", lock, re.MULTILINE)

    assert allowed == f"{framework}>={tested[1]}"


def test_the_lowest_pytorch_that_the_package_allows_is_the_one_tested():
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())
    script = (ROOT / "scripts/install-pytorch").read_text()
    tested = re.search(r"^version=(\S+)", script, re.MULTILINE)

    assert project["project"]["optional-dependencies"]["torch"] == [f"torch>={tested[1]}"]
