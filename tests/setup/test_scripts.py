"""What the set-up says when something is missing: one sentence that tells what to do."""

import os
import shutil
import socket
import subprocess
import sys
from pathlib import Path

import chromium
import pytest

ROOT = Path(__file__).parents[2]


def python(version, *, venv=True):
    """Returns a program that answers the questions of create-venv as a Python of this version."""
    info = tuple(map(int, version.split(".")))
    return f"""
case "$2" in
  *version_info*) exec {sys.executable} -c "${{2/sys.version_info/{info}}}" ;;
  *ensurepip*) exit {0 if venv else 1} ;;
esac
echo "$0 $*" >>log
"""


@pytest.fixture
def project(tmp_path):
    """The set-up's files alone, in an empty folder, with nothing but a shell on the path."""
    shutil.copytree(ROOT / "scripts", tmp_path / "scripts")
    (tmp_path / ".venv/bin").mkdir(parents=True)
    programs = tmp_path / "programs"
    programs.mkdir()
    for name in ["bash", "env", "dirname", "mktemp", "cat", "rm"]:
        (programs / name).symlink_to(shutil.which(name))
    return tmp_path


def program(path, body):
    path.write_text(f"#!/usr/bin/env bash\n{body}\n")
    path.chmod(0o755)


def run(project, script, *arguments, **environment):
    return subprocess.run(
        [project / "scripts" / script, *arguments],
        env={"PATH": str(project / "programs")} | environment,
        capture_output=True,
        text=True,
    )


@pytest.mark.parametrize(
    ("pythons", "environment", "sentence"),
    [
        (
            {"python3": "exit 127"},  # a version manager's stand-in for a Python that is not there
            {},
            "no Python of version 3.11 or newer was found: install one",
        ),
        ({}, {}, "no Python of version 3.11 or newer was found: install one"),
        (
            {"python3": python("3.10"), "python": python("2.7")},
            {},
            "no Python of version 3.11 or newer was found: install one",
        ),
        ({"python3": python("3.12", venv=False)}, {}, "install python3-venv"),
        (
            {"python3": python("3.11"), "mine": python("3.10")},
            {"PYTHON": "mine"},
            "PYTHON=mine is not a Python of version 3.11 or newer: name one that is.",
        ),
        (
            {"python3": python("3.11")},
            {"PYTHON": "missing"},
            "PYTHON=missing is not a Python of version 3.11 or newer: name one that is.",
        ),
    ],
    ids=[
        "a stand-in",
        "no Python",
        "an old one",
        "no venv module",
        "an old one named",
        "a missing one named",
    ],
)
def test_without_a_fit_python_one_sentence_says_what_to_do(project, pythons, environment, sentence):
    for name, body in pythons.items():
        program(project / "programs" / name, body)

    result = run(project, "create-venv", **environment)

    assert result.returncode == 1
    assert sentence in result.stderr
    assert result.stderr.count("\n") == 1


@pytest.mark.parametrize(
    ("versions", "chosen"),
    [
        ({"python3": "3.11"}, "python3"),
        ({"python3": "3.9", "python3.12": "3.12", "python": "3.11"}, "python3.12"),
        ({"python3": "3.14", "python3.13": "3.13"}, "python3.13"),
        ({"python3": "3.14", "python3.11": "3.10"}, "python3"),
        ({"python": "3.13"}, "python"),
    ],
)
def test_of_several_pythons_one_that_tensorflow_supports_is_taken(project, versions, chosen):
    for name, version in versions.items():
        program(project / "programs" / name, python(version))
    program(project / ".venv/bin/python", "exit 0")

    assert run(project, "create-venv").returncode == 0

    assert (project / "log").read_text().endswith(f"{chosen} -m venv .venv\n")


@pytest.mark.parametrize(
    ("script", "arguments", "tool", "sentence"),
    [
        ("create-venv", [], "python", "uv could not be installed into .venv"),
        ("install", ["site"], "uv", "requirements/site.txt could not be installed"),
        ("install-front-end", [], "npm", "the front-end packages could not be installed"),
        ("install-pytorch", [], "uv", "could not be installed"),
    ],
)
def test_a_failing_installer_is_quoted_and_one_sentence_says_what_to_do(
    project, script, arguments, tool, sentence
):
    for name in ["python", "uv", "npm"]:
        program(project / ".venv/bin" / name, "exit 1")
    program(project / "programs/python3", python("3.11"))
    program(project / ".venv/bin" / tool, "echo the reason >&2; exit 1")

    result = run(project, script, *arguments)

    assert result.returncode == 1
    reason, last = result.stderr.splitlines()
    assert reason == "the reason"
    assert sentence in last
    assert "run make again" in last


def test_pytorch_comes_from_its_own_index_where_pip_finds_none(project):
    log = project / "log"
    program(project / ".venv/bin/python", "echo no such build >&2; exit 1")
    program(project / ".venv/bin/uv", f'echo "$*" >>{log}')

    result = run(project, "install-pytorch")

    assert result.returncode == 0
    assert "--torch-backend=cpu" in log.read_text()
    assert result.stderr == ""


def test_copies_of_a_language_s_notebooks_are_opened(project):
    (project / "site/downloads/notebooks/ar").mkdir(parents=True)
    (project / "site/downloads/notebooks/ar/one.ipynb").write_text("{}")
    for name in ["mkdir", "cp"]:
        (project / "programs" / name).symlink_to(shutil.which(name))
    program(project / ".venv/bin/jupyter", 'echo "$*" >>log')

    assert run(project, "open-notebooks", "ar").returncode == 0

    assert (project / "log").read_text() == "lab build/notebooks/ar\n"
    assert (project / "build/notebooks/ar/one.ipynb").exists()


def test_a_language_without_notebooks_is_refused(project):
    result = run(project, "open-notebooks", "xx")

    assert result.returncode == 1
    assert (
        result.stderr
        == "gradvalve: there are no notebooks in the language 'xx': choose en, de, fr or ar.\n"
    )


def serve(port):
    command = [sys.executable, ROOT / "scripts/serve.py"]
    return subprocess.run(
        command, env=os.environ | {"PORT": str(port)}, capture_output=True, text=True
    )


def test_serve_says_that_its_port_is_taken():
    with socket.create_server(("127.0.0.1", 0)) as other:
        port = other.getsockname()[1]
        result = serve(port)

    assert result.returncode == 1
    assert f"port {port} can't be used (Address already in use)" in result.stderr
    assert "make serve PORT=" in result.stderr
    assert result.stderr.count("\n") == 1


@pytest.mark.parametrize("port", ["", "http", "0", "65536", "-1"])
def test_serve_refuses_what_is_not_a_port(port):
    result = serve(port)

    assert result.returncode == 1
    assert f"PORT={port} is not a port: give a number from 1 to 65535." in result.stderr


def test_chromium_can_be_named(monkeypatch):
    monkeypatch.setenv("CHROMIUM", sys.executable)

    assert chromium.launch_options()["executable_path"] == sys.executable


def test_a_chromium_that_does_not_exist_is_refused(monkeypatch):
    monkeypatch.setenv("CHROMIUM", "/no/such/program")

    with pytest.raises(SystemExit, match="CHROMIUM=/no/such/program is not a program"):
        chromium.launch_options()


def test_an_installed_chromium_is_found_where_none_is_pinned(monkeypatch, tmp_path):
    monkeypatch.delenv("CHROMIUM", raising=False)
    monkeypatch.setattr(chromium, "PINNED", tmp_path / "missing")
    monkeypatch.setenv("PATH", str(tmp_path))
    program(tmp_path / "google-chrome", "exit 0")

    assert chromium.launch_options()["executable_path"] == str(tmp_path / "google-chrome")


def test_an_interrupted_unpacking_is_not_taken_for_a_finished_one(monkeypatch, tmp_path):
    pinned = tmp_path / "pinned"
    (pinned / "bin").mkdir(parents=True)
    (pinned / "package.json").write_text('{"version": "1"}')
    monkeypatch.setattr(chromium, "PINNED", pinned)
    monkeypatch.setattr(chromium, "ROOT", tmp_path)

    for _ in range(2):
        with pytest.raises(FileNotFoundError):  # the archives are missing
            chromium.unpacked()
