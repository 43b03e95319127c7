"""Keeps the pages of the four languages in step and in good order."""

from collections.abc import Iterator
from itertools import product
from pathlib import Path

from gradvalve_site.checks import freshness, leftovers, structure, terms, typography
from gradvalve_site.checks.page import LANGUAGES, Complaint, Page, Pages, read


def read_all(docs: Path) -> Pages:
    paths = (path for language in LANGUAGES for path in sorted(docs.glob(f"{language}/**/*.md")))
    pages = (read(path, docs) for path in paths)
    return {(page.language, page.name): page for page in pages}


def check(docs: Path) -> Iterator[Complaint]:
    """Yield what all checks say of all pages."""
    pages = read_all(docs)
    for page in pages.values():
        yield from check_page(page, pages, docs / "terms.csv")
    for language, name in product(LANGUAGES, sorted({name for _, name in pages})):
        if (language, name) not in pages:
            message = "this page is missing: each page stands in all languages"
            yield Complaint(docs / language / name, 1, "structure", message)


def check_page(page: Page, pages: Pages, terms_file: Path) -> Iterator[Complaint]:
    """Yield what all checks say of one page."""
    yield from structure.check(page, pages)
    yield from terms.check(page, terms_file)
    yield from typography.check(page)[0]
    english = pages.get(("en", page.name))
    if english and page is not english:
        yield from leftovers.check(page, english, terms_file)
        yield from freshness.check(page, english)


def repair(docs: Path) -> None:
    """Write the repairs of the typography into the pages; nothing else can be repaired safely."""
    for page in read_all(docs).values():
        text = typography.repair(page)
        if text != page.text:
            page.path.write_text(text, encoding="utf-8")
