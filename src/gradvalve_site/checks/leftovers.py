"""Leftovers: English that was not translated.

English titles of works stand in *italics* and are left alone, as is <span lang="en">…</span>.
"""

import re
from collections.abc import Iterator
from pathlib import Path

from gradvalve_site.checks.page import FILLERS, Complaint, Page
from gradvalve_site.checks.terms import rows

# Frequent English words that are no words of German or French.
TELLTALES = set(
    "and are be because been both by does each every for from has have how is it its of only same "
    "than that the their then there these they this to what when which why with you your".split()
)
LATIN = re.compile(r"(?:\b[A-Za-z][\w'-]*[ ,:;.-]+){3}[A-Za-z]")
# Names, and words that German or French has in common with English.
COMMON = set(
    "adam atari colab github gradvalve java js julia jupyter keras material optax python sonnet "
    "code condition conclusion description documentation information installation introduction "
    "illustration minimal normal note notes operation optional page question son system table "
    "variable version".split()
)


def check(page: Page, english: Page, terms: Path) -> Iterator[Complaint]:
    """Yield the headings, paragraphs, cells and labels that are English still."""
    own = " ".join(re.sub(r"\(.*?\)", "", row[page.language]) for row in rows(terms))
    known = COMMON.union(_words(own))
    originals = {text for _, text in _units(english)}
    for line, text in sorted(set(_units(page))):
        words = _words(text)
        telling = sum(word in TELLTALES for word in words)
        if text in originals and any(word not in known for word in words):
            message = "this is the English text"
        elif telling >= 3 or (telling == 2 and len(words) <= 8):
            message = "this looks English"
        elif page.language == "ar" and LATIN.search(text):
            message = "four Latin words or more in a row: is this translated?"
        else:
            continue
        yield Complaint(page.path, line, "leftovers", f"{message}: {text[:50]}")


def _units(page: Page) -> Iterator[tuple[int, str]]:
    """Yield the line and the words of each heading, paragraph, list item, cell and label."""
    for block in page.blocks + page.labels:
        for cell in page.prose[block.start : block.end].split("|"):
            text = re.sub(rf"[{FILLERS}\[\]]|(?<!\*)\*(?!\*)[^*]+\*(?!\*)|\*\*", "", cell)
            yield page.line(block.start), " ".join(text.split())


def _words(text: str) -> list[str]:
    """Return the words, except names with a capital letter inside such as TensorFlow or JAX."""
    found = re.findall(r"[^\W\d_]{2,}", text)
    return [word.casefold() for word in found if word[1:] == word[1:].lower()]
