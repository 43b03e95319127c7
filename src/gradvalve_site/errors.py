"""Errors in pages: they stop the build and name file, line and reason."""

from pathlib import Path

from mkdocs.exceptions import PluginError


def page_error(page, text, reason):
    """Return the error about the place where `text` first stands in the source of `page`."""
    before, found, _ = Path(page.file.abs_src_path).read_text(encoding="utf-8").partition(text)
    line = f":{before.count(chr(10)) + 1}" if found else ""
    return PluginError(f"docs/{page.file.src_uri}{line}: {reason}")
