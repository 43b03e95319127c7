"""A skip must not pass for a success on continuous integration."""

import os
import re
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

CONFTEST = Path(__file__).parents[1] / "conftest.py"


def pytest_in(folder, *options, ci):
    environment = {name: value for name, value in os.environ.items() if name != "CI"}
    command = [sys.executable, "-m", "pytest", "--rootdir", folder, "-c", os.devnull, folder]
    return subprocess.run(
        [*command, "-p", "no:cacheprovider", *options],
        env=environment | ({"CI": "true"} if ci else {}),
        capture_output=True,
        text=True,
    )


@pytest.fixture
def folder(tmp_path):
    shutil.copy(CONFTEST, tmp_path)
    return tmp_path


SKIPS = {
    "a skipped test": "import pytest\ndef test_x():\n    pytest.skip('no such thing')",
    "a skipped file": "import pytest\npytest.skip('no such thing', allow_module_level=True)",
    "a missing module": "import pytest\npytest.importorskip('no_such', reason='no such thing')",
}


@pytest.mark.parametrize("source", SKIPS.values(), ids=SKIPS.keys())
def test_a_skip_fails_on_ci_only(folder, source):
    (folder / "test_x.py").write_text(source)

    on_ci = pytest_in(folder, ci=True)
    assert on_ci.returncode != 0
    assert "was skipped on continuous integration (Skipped: no such thing)" in on_ci.stdout

    elsewhere = pytest_in(folder, ci=False)
    assert "1 skipped" in elsewhere.stdout
    assert "failed" not in elsewhere.stdout


def test_skips_fail_on_ci_in_tests_that_run_side_by_side_too(folder):
    for number, source in enumerate(SKIPS.values()):
        (folder / f"test_{number}.py").write_text(source)

    on_ci = pytest_in(
        folder, "--numprocesses=2", "--dist=loadfile", "--continue-on-collection-errors", ci=True
    )

    assert "1 failed, 2 errors" in on_ci.stdout


def test_a_skip_that_is_named_passes_on_ci(folder):
    (folder / "test_x.py").write_text(SKIPS["a skipped test"])
    conftest = folder / "conftest.py"
    named, count = re.subn(
        r"(MAY_BE_SKIPPED.*) = \{", r'\1 = {"test_x.py::test_x": "",', conftest.read_text()
    )
    assert count == 1
    conftest.write_text(named)

    result = pytest_in(folder, ci=True)

    assert result.returncode == 0
    assert "1 skipped" in result.stdout


def test_an_expected_failure_passes_on_ci(folder):
    source = "import pytest\n@pytest.mark.xfail\ndef test_x():\n    raise ValueError"
    (folder / "test_x.py").write_text(source)

    assert pytest_in(folder, ci=True).returncode == 0
