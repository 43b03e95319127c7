"""Marks a translation as up to date with the English page, after showing what changed there.

    python -m gradvalve_site.translated tutorial/scale.md de

The hash in the translation's front matter tells which English text it renders; that text is found
in the history and compared with today's. Then the hash is written, and nothing else.
"""

import difflib
import re
import subprocess
import sys
from pathlib import Path

from gradvalve_site.checks.freshness import given_hash, source_hash
from gradvalve_site.checks.page import LANGUAGES, Page, parse, read

DOCS = Path("docs")


def main(arguments: list[str]) -> None:
    if len(arguments) != 2 or arguments[1] not in LANGUAGES[1:]:
        sys.exit(f"Give a page and one of {', '.join(LANGUAGES[1:])}, as in: tutorial/scale.md de")
    name, language = arguments
    for path in (DOCS / "en" / name, DOCS / language / name):
        if not path.is_file():
            sys.exit(f"There is no {path}.")
    english, translation = read(DOCS / "en" / name, DOCS), read(DOCS / language / name, DOCS)
    if not translation.text.startswith("---\n"):
        sys.exit(f"{translation.path} needs front matter with title and description.")
    print(changes(english, given_hash(translation)))
    translation.path.write_text(marked(translation.text, source_hash(english)), encoding="utf-8")
    print(f"{translation.path} is marked as a translation of this text.")


def changes(english: Page, old: str | None) -> str:
    """Return what changed since the text with the hash `old`, or all of today's text."""
    if old == source_hash(english):
        return f"No word of {english.path} has changed."
    before = old and _version(english, old)
    if before is None:
        return english.text
    lines = (text.splitlines() for text in (before, english.text))
    return "\n".join(difflib.unified_diff(*lines, "translated", "now", n=1, lineterm=""))


def marked(text: str, new: str) -> str:
    """Return the text of the page with the hash in its front matter."""
    front, rest = re.fullmatch(r"(?s)(---\n.*?)(---\n.*)", text).groups()
    return re.sub(r"(?m)^source_hash:.*\n", "", front) + f'source_hash: "{new}"\n{rest}'


def _version(english: Page, wanted: str) -> str | None:
    """Return the committed text of the English page with this hash, None if there is none."""
    for commit in _git("log", "--format=%H", "--", str(english.path)).split():
        text = _git("show", f"{commit}:./{english.path}")
        if source_hash(parse(text, english.path, "en", english.name)) == wanted:
            return text
    return None


def _git(*arguments: str) -> str:
    done = subprocess.run(["git", *arguments], capture_output=True, encoding="utf-8")
    return done.stdout  # empty where there is no history


if __name__ == "__main__":
    main(sys.argv[1:])
