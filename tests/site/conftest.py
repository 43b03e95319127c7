"""Projects to build: the real one, and copies of it for tests to break."""

import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).parents[2]
# Neither the default nor at the root of its host: nothing may depend on the address.
ADDRESS = "https://example.org/some/where/"


class Project:
    """A folder that MkDocs builds like the repository, with documentation of its own."""

    def __init__(self, folder):
        self.folder = folder
        shutil.copytree(ROOT / "docs", folder / "docs")
        shutil.copy(ROOT / "mkdocs.yml", folder)
        for name in ("src", "notebooks"):
            (folder / name).symlink_to(ROOT / name)

    def append(self, page, text):
        path = self.folder / "docs" / page
        path.write_text(path.read_text(encoding="utf-8") + text, encoding="utf-8")

    def build(self, address=ADDRESS):
        return subprocess.run(
            [sys.executable, "-m", "mkdocs", "build", "--strict"],
            cwd=self.folder,
            env=os.environ
            | {
                "NO_MKDOCS_2_WARNING": "1",
                "GRADVALVE_SITE_URL": address,
                "GRADVALVE_REPOSITORY": "https://github.com/example/project",
            },
            capture_output=True,
            encoding="utf-8",
        )


@pytest.fixture(scope="session")
def new_project(tmp_path_factory):
    """A function that makes a project with the repository's pages."""
    return lambda: Project(tmp_path_factory.mktemp("project"))


@pytest.fixture
def project(new_project):
    return new_project()


@pytest.fixture(scope="session")
def address():
    return ADDRESS


@pytest.fixture(scope="session")
def site(new_project):
    """The folder of the site, built from the repository's pages."""
    project = new_project()
    done = project.build()
    assert done.returncode == 0, done.stderr
    return project.folder / "site"
