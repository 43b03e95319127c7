"""Freshness: a translation says which English text it renders, by a hash in its front matter.

Only `python -m gradvalve_site.translated` writes the hash, after it has shown what changed.
"""

import hashlib
from collections.abc import Iterator

from mkdocs.utils.meta import get_data

from gradvalve_site.checks.page import FILLERS, Complaint, Page

REMOVE = dict.fromkeys(map(ord, FILLERS))


def source_hash(english: Page) -> str:
    """Return the hash of the page's words: code, formulas, links and white space don't count."""
    words = "".join(english.prose.translate(REMOVE).split())
    return hashlib.sha256(words.encode()).hexdigest()[:12]


def given_hash(page: Page) -> str | None:
    """Return the hash of the English text that the translation renders."""
    value = get_data(page.text)[1].get("source_hash")
    return value and str(value)


def check(page: Page, english: Page) -> Iterator[Complaint]:
    """Yield a complaint if the translation renders another English text than today's."""
    given = given_hash(page)
    if given == source_hash(english):
        return
    state = "is older than" if given else "isn't marked as a translation of"
    command = f"make translated PAGE={page.name} LANGUAGE={page.language}"
    message = f"the page {state} {english.path}; bring it up to date, then run: {command}"
    yield page.complaint(0, "freshness", message)
