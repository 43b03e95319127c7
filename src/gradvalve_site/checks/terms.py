"""Terms: words that docs/terms.csv rules out are not on the pages.

A form is matched in whole words, whatever the case, in Arabic whatever the vowel signs and with
prefixes. A form that ends in `?` in the file is right in some other sense: it is only a warning.
"""

import csv
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path
from typing import NamedTuple

from gradvalve_site.checks.page import Complaint, Page

SIGNS = "\u064b\u064c\u064d\u064e\u064f\u0650\u0651\u0652\u0670\u0640"  # Arabic vowels, tatweel


class Form(NamedTuple):
    form: str
    pattern: re.Pattern
    part: str  # the pattern cannot match where this is not: a quick look before a slow one
    term: str  # what to write
    fatal: bool


def check(page: Page, terms: Path) -> Iterator[Complaint]:
    """Yield the forms that are ruled out in the page's language."""
    bare, positions = without_signs(page.prose)
    lower = bare.lower()
    for form, pattern, part, term, fatal in _ruled_out(terms, page.language):
        for match in pattern.finditer(bare) if part in lower else ():
            message = f"'{form}' is ruled out" if fatal else f"is '{form}' meant as a term here"
            message = f"{message}; the term is: {term}"
            yield page.complaint(positions[match.start()], "terms", message, fatal)


def without_signs(text: str) -> tuple[str, list[int]]:
    """Return the text without Arabic vowel signs, and where each of its letters was."""
    positions = [i for i, letter in enumerate(text) if letter not in SIGNS]
    return "".join(text[i] for i in positions), positions


def rows(terms: Path) -> list[dict[str, str]]:
    with terms.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@cache
def _ruled_out(terms: Path, language: str) -> list[Form]:
    forms = []
    for row in rows(terms):
        for entry in filter(None, row.get(f"not_{language}", "").split("|")):
            form = entry.removesuffix("?")
            bare, _ = without_signs(form)
            part = max(re.findall(r"\w+", bare.removeprefix("ال")), key=len).lower()
            forms.append(Form(form, word_pattern(bare), part, row[language], form == entry))
    return forms


def word_pattern(bare: str, ending: str = "") -> re.Pattern:
    """Return a pattern for a form without vowel signs; `ending` may follow each of its words."""
    pattern = re.escape(bare).replace(r"\ ", rf"{ending}\s+").replace("'", "['’]")
    if bare.startswith("ال"):
        pattern = "[وف]?(?:[بك]?ال|لل)" + pattern.removeprefix("ال")
    elif re.match("[\u0621-\u064a]", bare):
        pattern = "[وف]?(?:[بلك]|[بك]?ال|لل)?" + pattern
    return re.compile(rf"\b{pattern}{ending}\b", re.IGNORECASE)
