"""`make` does each step of the set-up once, in order, and again only when its lock changes."""

import os
import re
import shutil
import subprocess
import time
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
SET_UP = ["create-venv", "install", "install-front-end", "install-pytorch"]
STEPS = [".venv/.pytorch", ".venv/.browser"]
ALL = [
    "create-venv",
    "install site",
    "install test",
    "install-front-end",
    "install-front-end --omit=dev",
    "install-pytorch",
    "python scripts/chromium.py",
]


@pytest.fixture
def project(tmp_path):
    """The Makefile and the locks, with scripts that only write down that they were called."""
    for name in ["Makefile", "pyproject.toml", "package-lock.json"]:
        shutil.copy(ROOT / name, tmp_path)
    shutil.copytree(ROOT / "requirements", tmp_path / "requirements")
    for folder in ["scripts", ".venv/bin", "node_modules"]:
        (tmp_path / folder).mkdir(parents=True)
    for path in [*(f"scripts/{name}" for name in SET_UP), ".venv/bin/python"]:
        script = tmp_path / path
        script.write_text('#!/bin/sh\necho "$(basename "$0") $*" >>log\n')
        script.chmod(0o755)
    return tmp_path


def make(project, *targets):
    """Runs make and returns the steps that it took."""
    log = project / "log"
    log.unlink(missing_ok=True)
    environment = {name: value for name, value in os.environ.items() if "MAKE" not in name}
    subprocess.run(["make", *targets], cwd=project, check=True, env=environment)
    return [line.strip() for line in log.read_text().splitlines()] if log.exists() else []


@pytest.mark.parametrize("jobs", ["-j1", "-j8"])
def test_every_step_runs_once_and_never_again(project, jobs):
    steps = make(project, jobs, *STEPS)

    assert sorted(steps) == ALL
    assert steps.index("create-venv") == 0
    assert steps.index("install site") < steps.index("install-front-end --omit=dev")
    assert steps.index("install-front-end --omit=dev") < steps.index("install-front-end")
    assert make(project, jobs, *STEPS) == []


@pytest.mark.parametrize(
    ("changed", "expected"),
    [
        ("requirements/uv.txt", ALL),
        ("requirements/site.txt", [s for s in ALL if s not in ("create-venv", "install-pytorch")]),
        ("requirements/test.txt", ["install test", "install-front-end", ALL[-1]]),
        (
            "package-lock.json",
            ["install-front-end", "install-front-end --omit=dev", ALL[-1]],
        ),
        ("scripts/install-pytorch", ["install-pytorch"]),
        ("Makefile", []),
    ],
)
def test_a_changed_file_repeats_what_depends_on_it(project, changed, expected):
    make(project, *STEPS)
    later = time.time() + 1
    os.utime(project / changed, (later, later))

    assert sorted(make(project, *STEPS)) == expected


@pytest.mark.parametrize("target", ["serve", "build", "check"])
def test_nothing_for_tests_is_installed_to_show_or_build_or_check_the_site(project, target):
    steps = make(project, target)

    assert "install site" in steps
    assert not {"install test", "install-pytorch", "install-front-end"} & set(steps)


def test_a_build_is_strict_and_loud(project):
    # With --quiet, mkdocs drops warnings before --strict counts them.
    assert make(project, "build")[-1] == "python -m mkdocs build --strict"


def test_the_tests_come_after_check_and_build(project):
    *_, last_of_check, build, tests = make(project, "test")

    assert last_of_check == "python -m gradvalve_site.checks"
    assert build == "python -m mkdocs build --strict"
    assert tests == "python -m pytest --numprocesses auto --dist loadfile"


def test_a_failing_step_stops_the_rest(project):
    (project / "scripts/install").write_text("#!/bin/sh\nexit 1\n")

    with pytest.raises(subprocess.CalledProcessError):
        make(project, "build")

    assert (project / "log").read_text().strip() == "create-venv"
    assert not (project / ".venv/.site").exists()


def test_make_alone_lists_every_command():
    listing = subprocess.run(["make"], cwd=ROOT, capture_output=True, text=True, check=True).stdout

    commands = re.search(r"^\.PHONY: (.*)", (ROOT / "Makefile").read_text(), re.MULTILINE)
    assert re.findall(r"^make (\w+)", listing, re.MULTILINE) == commands[1].split()
