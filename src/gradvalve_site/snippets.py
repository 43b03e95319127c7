"""Runs the snippets of the pages and records what they print.

`docs/snippets/TOPIC/with_FRAMEWORK.py`, or `.mjs` for Node, is a file that a reader copies; its
standard output stands beside it as `with_FRAMEWORK.txt`. Pages take numbers from the lines
`key: value` of that record.
Record all snippets anew, or some:  python -m gradvalve_site.snippets [FILE…]
"""

import os
import re
import subprocess
import sys
import tempfile
from pathlib import Path

FOLDER = Path("docs/snippets")
NODE_MODULES = Path(__file__).parents[2] / "node_modules"
# How a snippet is run, by the end of its name: with the Node that the project installs.
COMMANDS = {
    ".py": [sys.executable, "-W", "error:::__main__"],
    ".mjs": [str(Path(sys.executable).with_name("node"))],
}
# What TensorFlow's core tells about the machine when it is loaded, whatever the log level; and how
# TensorFlow.js greets.
START_UP = re.compile(
    r"WARNING: All log messages before absl.*\n|[IW]\d{4} .*\n|\n=+\nHi, looks like.*\n=+\n"
)


def find(folder: Path = FOLDER) -> list[Path]:
    """Return all snippets in the folder."""
    return sorted(path for path in folder.glob("*/*") if path.suffix in COMMANDS)


def run(snippet: Path) -> str:
    """Return what the snippet prints when it is the only file of an empty folder.

    Raises RuntimeError if it fails, causes a warning, or writes to standard error.
    """
    environment = {name: value for name, value in os.environ.items() if name != "PYTHONPATH"}
    environment |= {"TF_CPP_MIN_LOG_LEVEL": "3", "PYTHONUTF8": "1"}
    with tempfile.TemporaryDirectory() as folder:
        pasted = Path(folder, snippet.name)
        pasted.write_bytes(snippet.read_bytes())
        if snippet.suffix == ".mjs":  # Node looks for packages beside the file
            Path(folder, "node_modules").symlink_to(NODE_MODULES)
        done = subprocess.run(
            [*COMMANDS[snippet.suffix], pasted.name],
            cwd=folder,
            env=environment,
            capture_output=True,
            encoding="utf-8",
        )
    noise = START_UP.sub("", done.stderr)
    if done.returncode or noise:
        raise RuntimeError(f"{snippet}: exit status {done.returncode}\n{noise}")
    return done.stdout


def values(record: Path) -> dict[str, str]:
    """Return the values of the lines `key: value` of a recorded output."""
    return parse(record.read_text(encoding="utf-8"), record)


def parse(text: str, source: Path | str) -> dict[str, str]:
    """Return the values of the lines `key: value` in the text; errors name its source."""
    found: dict[str, str] = {}
    for number, line in enumerate(text.splitlines(), 1):
        key, separator, value = line.partition(": ")
        if not separator:
            continue
        if key in found:
            raise ValueError(f"{source}:{number}: the key '{key}' is printed twice")
        found[key] = value.strip()
    return found


def main(names: list[str]) -> None:
    for snippet in [Path(name) for name in names] or find():
        snippet.with_suffix(".txt").write_text(run(snippet), encoding="utf-8")
        print(snippet.with_suffix(".txt"))


if __name__ == "__main__":
    main(sys.argv[1:])
