"""Addresses that don't exist."""

import pytest

MISSING = "Failed to load resource: the server responded with a status of 404 (Not Found)"
LANGUAGES = {"en": "", "de": "de/", "fr": "fr/", "ar": "ar/"}


@pytest.mark.parametrize("address", ["nowhere", "tutorial/nowhere/"])
@pytest.mark.parametrize("language", LANGUAGES)
def test_unknown_addresses_get_the_page_of_their_language(open_page, base, language, address):
    page = open_page(LANGUAGES[language] + address)
    page.wait_for_selector(f"html[lang={language}] .gv-not-found h1")
    page.wait_for_load_state("networkidle")

    # The address stays, and nothing else is missing: styles, scripts and fonts load at any depth.
    assert page.url == base + LANGUAGES[language] + address
    assert [fault for fault in page.faults if fault not in (page.url, MISSING)] == []
    assert page.evaluate("document.body.dir") == ("rtl" if language == "ar" else "ltr")
    page.click(".gv-not-found a")
    assert page.url == base + LANGUAGES[language]


def test_without_javascript_the_page_speaks_all_languages(open_page, base):
    page = open_page("ar/nowhere/", java_script_enabled=False)

    for language, start in LANGUAGES.items():
        section = page.locator(f".gv-not-found[lang={language}]")
        assert section.is_visible()
        assert section.evaluate("element => getComputedStyle(element).direction") == (
            "rtl" if language == "ar" else "ltr"
        )
        link = section.locator("a").get_attribute("href")
        assert page.evaluate("link => new URL(link, location).href", link) in (
            base + start,
            f"{base}{start}.",
        )
