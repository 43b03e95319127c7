"""Finds the Chromium for the browser tests; as a program, makes it ready and prints its path.

The first of these that there is:
1. the program that the environment variable CHROMIUM names,
2. on Linux on x86-64 the one that package.json pins, with the libraries and fonts that it needs,
3. an installed Chromium or Chrome,
4. the one that Playwright downloads.
"""

import io
import json
import os
import platform
import shutil
import subprocess
import sys
import tarfile
import tempfile
from pathlib import Path

import brotli

ROOT = Path(__file__).resolve().parents[1]
PINNED = ROOT / "node_modules/@sparticuz/chromium"
INSTALLED = [
    "chromium",
    "chromium-browser",
    "google-chrome",
    "/Applications/Chromium.app/Contents/MacOS/Chromium",
    "/Applications/Google Chrome.app/Contents/MacOS/Google Chrome",
]
FLAGS = [
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-gpu",
    "--disable-quic",
    "--disable-sync",
    "--no-first-run",
    "--no-sandbox",  # the sandbox refuses to run as root, which continuous integration often does
]
# Fontconfig finds the fonts beside this file, wherever the repository lies.
FONTS_CONF = '<fontconfig><dir prefix="relative">fonts</dir></fontconfig>\n'


def launch_options() -> dict:
    """Returns the keyword arguments for Playwright's ``chromium.launch``."""
    options = {"args": FLAGS}
    if named := os.environ.get("CHROMIUM"):
        program = shutil.which(named)
        if program is None:
            sys.exit(f"CHROMIUM={named} is not a program: name one that is, or unset the variable.")
        return options | {"executable_path": program}
    if runs_pinned():
        folder = unpacked()
        environment = os.environ | {
            "LD_LIBRARY_PATH": f"{folder / 'lib'}:{os.environ.get('LD_LIBRARY_PATH', '')}",
            "FONTCONFIG_PATH": str(folder),
        }
        return options | {"executable_path": str(folder / "chromium"), "env": environment}
    if program := next(filter(None, map(shutil.which, INSTALLED)), None):
        return options | {"executable_path": program}
    return options


def runs_pinned() -> bool:
    return sys.platform == "linux" and platform.machine() == "x86_64" and PINNED.is_dir()


def unpacked() -> Path:
    """Unpacks the pinned Chromium, unless that is done, and returns its folder."""
    version = json.loads((PINNED / "package.json").read_text())["version"]
    folder = ROOT / f".cache/chromium-{version}"
    if folder.is_dir():
        return folder
    folder.parent.mkdir(exist_ok=True)
    # Aside first, then renamed: an interrupted run leaves nothing that looks finished.
    aside = Path(tempfile.mkdtemp(dir=folder.parent))
    for name in ["al2023", "fonts", "swiftshader"]:
        content = brotli.decompress((PINNED / f"bin/{name}.tar.br").read_bytes())
        with tarfile.open(fileobj=io.BytesIO(content)) as archive:
            # Python 3.11 before 3.11.4 has no filter to pass to extractall.
            archive.extraction_filter = getattr(tarfile, "data_filter", None)
            archive.extractall(aside)
    program = aside / "chromium"
    program.write_bytes(brotli.decompress((PINNED / "bin/chromium.br").read_bytes()))
    program.chmod(0o755)
    (aside / "fonts.conf").write_text(FONTS_CONF)
    aside.rename(folder)
    return folder


def main() -> None:
    options = launch_options()
    if "executable_path" not in options:
        subprocess.run([sys.executable, "-m", "playwright", "install", "chromium"], check=True)
    print(options.get("executable_path", "Playwright's own Chromium"))


if __name__ == "__main__":
    main()
