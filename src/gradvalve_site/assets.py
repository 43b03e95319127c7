"""Files of the site that don't lie in docs/."""

from pathlib import Path

from mkdocs.structure.files import File

from gradvalve_site import fonts

ROOT = Path(__file__).resolve().parents[2]
# Beside a file tensorflow.py, a program would import that instead of TensorFlow: so another name.
DOWNLOADS = {"downloads/gradvalve_tensorflow.py": ROOT / "src/gradvalve/tensorflow.py"}


def add(files, config):
    """Add fonts and downloads; pages link to them as if they lay in docs/."""
    served_fonts = {f"assets/fonts/{path.name}": path for path in fonts.provide(ROOT)}
    for address, path in (DOWNLOADS | served_fonts).items():
        files.append(File.generated(config, address, abs_src_path=str(path)))
