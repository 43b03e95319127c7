"""The locks pin everything that is asked for, by hash, and name no address."""

import json
import re
import tomllib
from pathlib import Path

import pytest
from packaging.requirements import Requirement
from packaging.version import Version

ROOT = Path(__file__).parents[2]
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())
LOCKS = {path.stem: path.read_text() for path in sorted(ROOT.glob("requirements/*.txt"))}


def pins(text):
    """Returns each package's versions: more than one where Python versions differ."""
    found = {}
    for name, version in re.findall(r"^([\w.-]+)==(\S+)", text, re.MULTILINE):
        found.setdefault(name, set()).add(version)
    return found


def asked_for(group):
    for entry in PROJECT["dependency-groups"][group]:
        if isinstance(entry, dict):
            yield from asked_for(entry["include-group"])
        else:
            yield Requirement(entry)


@pytest.mark.parametrize("group", LOCKS)
def test_the_lock_holds_what_pyproject_asks_for(group):
    locked = pins(LOCKS[group])

    for requirement in asked_for(group):
        versions = locked.get(requirement.name, set())
        assert versions, f"{requirement.name}: run make lock"
        assert all(map(requirement.specifier.contains, map(Version, versions))), requirement


@pytest.mark.parametrize("group", LOCKS)
def test_every_pin_has_a_hash(group):
    entries = re.split(r"^(?=[\w.-]+==)", LOCKS[group], flags=re.MULTILINE)[1:]

    assert entries
    assert [entry for entry in entries if "--hash=sha256:" not in entry] == []


@pytest.mark.parametrize("path", [*(f"requirements/{n}.txt" for n in LOCKS), "package-lock.json"])
def test_no_lock_names_an_address(path):
    text = re.sub(r'"url": "https://[^"]+"', "", (ROOT / path).read_text())  # where to donate

    assert "://" not in text


def test_site_and_tests_use_the_same_versions():
    everything = pins(LOCKS["test"])

    assert {name: everything[name] for name in pins(LOCKS["site"])} == pins(LOCKS["site"])


def test_front_end_packages_are_pinned_exactly_and_locked():
    package = json.loads((ROOT / "package.json").read_text())
    locked = json.loads((ROOT / "package-lock.json").read_text())["packages"]

    for name, version in (package["dependencies"] | package["devDependencies"]).items():
        assert locked[f"node_modules/{name}"]["version"] == version
    assert all("integrity" in entry for path, entry in locked.items() if path)
