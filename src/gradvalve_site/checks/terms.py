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
    positions = [i for i, letter in enumerate(page.prose) if letter not in SIGNS]
    bare = "".join(page.prose[i] for i in positions)
    lower = bare.lower()
    for form, pattern, part, term, fatal in _ruled_out(terms, page.language):
        for match in pattern.finditer(bare) if part in lower else ():
            message = f"'{form}' is ruled out" if fatal else f"is '{form}' meant as a term here"
            message = f"{message}; the term is: {term}"
            yield page.complaint(positions[match.start()], "terms", message, fatal)


def rows(terms: Path) -> list[dict[str, str]]:
    with terms.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@cache
def _ruled_out(terms: Path, language: str) -> list[Form]:
    forms = []
    for row in rows(terms):
        for entry in filter(None, row.get(f"not_{language}", "").split("|")):
            form = entry.removesuffix("?")
            bare = form.translate(dict.fromkeys(map(ord, SIGNS)))
            part = max(re.findall(r"\w+", bare.removeprefix("ال")), key=len).lower()
            forms.append(Form(form, _pattern(bare), part, row[language], form == entry))
    return forms


def _pattern(bare: str) -> re.Pattern:
    pattern = re.escape(bare).replace(r"\ ", r"\s+").replace("'", "['’]")
    if bare.startswith("ال"):
        pattern = "[وف]?(?:[بك]?ال|لل)" + pattern.removeprefix("ال")
    elif re.match("[\u0621-\u064a]", bare):
        pattern = "[وف]?(?:[بلك]|[بك]?ال|لل)?" + pattern
    return re.compile(rf"\b{pattern}\b", re.IGNORECASE)
