"""Builds the package that notebooks install from the site when it isn't there."""

import subprocess
import sys
import tempfile
from importlib import metadata
from pathlib import Path

NAME = f"gradvalve-{metadata.version('gradvalve')}-py3-none-any.whl"
ADDRESS = f"downloads/{NAME}"


def provide(root: Path) -> Path:
    """Return the wheel, built anew when the package has changed; it lies in `.cache/wheel`.

    Raises RuntimeError if it can't be built, for instance because the version has changed since
    the project was installed.
    """
    wheel = root / ".cache/wheel" / NAME
    sources = [root / "pyproject.toml", root / "README.md", *root.glob("src/gradvalve/**/*.py")]
    changed = max(source.stat().st_mtime for source in sources)
    if wheel.exists() and wheel.stat().st_mtime > changed:
        return wheel
    wheel.parent.mkdir(parents=True, exist_ok=True)
    with tempfile.TemporaryDirectory(dir=wheel.parent) as aside:
        command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel"]
        done = subprocess.run(
            [*command, "--directory", aside], cwd=root, capture_output=True, encoding="utf-8"
        )
        built = Path(aside, NAME)
        if not built.exists():
            raise RuntimeError(f"{NAME} could not be built:\n{done.stdout}{done.stderr}")
        built.replace(wheel)
    return wheel
