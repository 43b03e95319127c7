"""The pages of this site: in step, in good order, up to date."""

from pathlib import Path

import pytest

from gradvalve_site import checks
from gradvalve_site.checks.page import LANGUAGES

DOCS = Path(__file__).parents[2] / "docs"
PAGES = checks.read_all(DOCS)
NAMES = sorted({name for _, name in PAGES})


@pytest.mark.parametrize("name", NAMES)
def test_page_stands_in_all_languages(name):
    assert [language for language in LANGUAGES if (language, name) in PAGES] == LANGUAGES


@pytest.mark.parametrize("page", PAGES.values(), ids=["-".join(key) for key in PAGES])
def test_pages_are_in_step(page):
    complaints = checks.check_page(page, PAGES, DOCS / "terms.csv")

    assert [str(complaint) for complaint in complaints if complaint.fatal] == []
