"""Terms: words that docs/terms.csv rules out are not on the pages.

A form is matched in whole words, whatever the case, in Arabic whatever the vowel signs and with
prefixes. A form that ends in `?` in the file is right in some other sense: it is only a warning.
"""

import csv
import re
from collections.abc import Iterator
from functools import cache
from pathlib import Path

from gradvalve_site.checks.page import Complaint, Page

SIGNS = re.compile("[\u064b-\u0652\u0670\u0640]")  # Arabic vowel signs and tatweel


def check(page: Page, terms: Path) -> Iterator[Complaint]:
    """Yield the forms that are ruled out in the page's language."""
    pattern, instead = _ruled_out(terms, page.language)
    positions = [i for i, letter in enumerate(page.prose) if not SIGNS.match(letter)]
    for match in pattern.finditer("".join(page.prose[i] for i in positions)):
        form, preferred, fatal = instead[match.lastindex - 1]
        message = f"'{form}' is ruled out" if fatal else f"is '{form}' meant as a term here"
        message = f"{message}; the term is: {preferred}"
        yield page.complaint(positions[match.start()], "terms", message, fatal)


def rows(terms: Path) -> list[dict[str, str]]:
    with terms.open(encoding="utf-8", newline="") as file:
        return list(csv.DictReader(file))


@cache
def _ruled_out(terms: Path, language: str) -> tuple[re.Pattern, list[tuple[str, str, bool]]]:
    """Return a pattern with a group per form, and (form, preferred term, fatal) per group."""
    instead = [
        (form.removesuffix("?"), row[language], not form.endswith("?"))
        for row in rows(terms)
        for form in row.get(f"not_{language}", "").split("|")
        if form
    ]
    instead.sort(key=lambda form: -len(form[0]))  # report the longest form that matches
    groups = "|".join(f"({_pattern(form)})" for form, _, _ in instead) or "(?!)"
    return re.compile(rf"\b(?:{groups})\b", re.IGNORECASE), instead


def _pattern(form: str) -> str:
    pattern = re.escape(SIGNS.sub("", form)).replace(r"\ ", r"\s+").replace("'", "['’]")
    if form.startswith("ال"):
        return "[وف]?(?:[بك]?ال|لل)" + pattern.removeprefix("ال")
    if re.match("[\u0621-\u064a]", form):
        return "[وف]?(?:[بلك]|[بك]?ال|لل)?" + pattern
    return pattern
