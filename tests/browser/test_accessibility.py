"""What axe-core finds on each kind of page, light on a phone and dark on a desk."""

from pathlib import Path

import pytest

AXE = Path(__file__).parents[2] / "node_modules/axe-core/axe.min.js"
PAGES = ["", "tutorial/scale/", "ar/tutorial/scale/", "typography/", "ar/typography/", "404.html"]
PAGES += ["notebooks/muzero_unroll/", "ar/notebooks/muzero_unroll/"]
# axe takes a header that is a formula for an empty one.
OPTIONS = "{ resultTypes: ['violations'], rules: { 'empty-table-header': { enabled: false } } }"
OPEN = "document.querySelectorAll('details').forEach(details => details.open = true)"


def violations(page):
    """Return (rule, element, explanation) of everything that axe complains of."""
    page.evaluate(AXE.read_text("utf-8"))
    found = page.evaluate(f"axe.run({OPTIONS})")["violations"]
    return [
        (rule["id"], node["target"], node["failureSummary"])
        for rule in found
        for node in rule["nodes"]
    ]


@pytest.mark.parametrize(("scheme", "width"), [("light", 360), ("dark", 1280)])
@pytest.mark.parametrize("address", PAGES)
def test_pages_are_accessible(open_page, address, scheme, width):
    page = open_page(address, color_scheme=scheme, viewport={"width": width, "height": 800})
    page.wait_for_load_state("networkidle")
    page.evaluate(OPEN)

    assert violations(page) == []


@pytest.mark.parametrize(
    ("start", "word", "scheme"), [("", "gradient", "light"), ("ar/", "التدرّج", "dark")]
)
def test_the_search_is_accessible(open_page, start, word, scheme):
    page = open_page(start, color_scheme=scheme)
    page.fill(".md-search__input", word)
    page.press(".md-search__input", "Space")
    page.wait_for_selector(".md-search-result__item")

    assert violations(page) == []


def test_pale_text_is_seen(open_page):
    page = open_page(bypass_csp=True)
    page.add_style_tag(content="article p { color: #999 !important }")

    assert "color-contrast" in {rule for rule, *_ in violations(page)}
