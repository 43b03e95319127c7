"""Bundles the JavaScript of live examples with the packages and Python files that it imports."""

import os
import subprocess
import sys
from pathlib import Path

SOURCES = "docs/assets/javascripts/live"
BUNDLES = {"live.js": "main.js", "live-worker.js": "worker.js"}  # what is made of which file
LICENCE = "node_modules/prism-code-editor/LICENSE"
NOTICE = """/*!
Contains prism-code-editor, or MicroPython, Copyright (c) 2013-2025 Damien P. George and others:
{}*/"""
OPTIONS = [
    "--bundle",
    "--minify",
    "--format=esm",
    "--target=es2022",
    "--charset=utf8",
    "--loader:.css=text",
    "--loader:.py=text",
    # MicroPython's file runs in Node.js too: that part is left out.
    "--define:process=undefined",
    *(f"--external:{name}" for name in ["crypto", "fs", "module", "path", "url"]),
]


def provide(root: Path) -> list[Path]:
    """Return the bundles, made anew when a source has changed; they lie in `.cache/live`.

    Raises RuntimeError if esbuild can't make them, with what it says.
    """
    sources = [Path(__file__), root / "package-lock.json", *root.glob(f"{SOURCES}/*.js")]
    changed = max(path.stat().st_mtime for path in [*sources, *root.glob("src/gradvalve/*.py")])
    paths = [root / ".cache/live" / name for name in BUNDLES]
    for path in paths:
        if not path.exists() or path.stat().st_mtime < changed:
            _bundle(root, path)
    return paths


def _bundle(root: Path, path: Path) -> None:
    path.parent.mkdir(parents=True, exist_ok=True)
    # Aside first: a build that runs at the same time never reads half a file.
    unfinished = path.with_suffix(f".{os.getpid()}")
    node = Path(sys.executable).with_name("node")  # the one that the project installs
    command = [node, root / "node_modules/esbuild/bin/esbuild", f"{SOURCES}/{BUNDLES[path.name]}"]
    notice = NOTICE.format((root / LICENCE).read_text(encoding="utf-8"))
    done = subprocess.run(
        [*command, *OPTIONS, f"--banner:js={notice}", f"--outfile={unfinished}"],
        cwd=root,
        capture_output=True,
        encoding="utf-8",
    )
    if done.returncode:
        raise RuntimeError(f"{SOURCES} could not be bundled:\n{done.stderr}")
    unfinished.replace(path)
