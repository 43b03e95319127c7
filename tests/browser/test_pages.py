"""What a reader sees and does on every page, in every language."""

from pathlib import Path

import pytest

LANGUAGES = {"en": "", "de": "de/", "fr": "fr/", "ar": "ar/"}
ENGLISH = Path(__file__).parents[2] / "docs/en"
PAGES = ["", "typography/"]
PAGES += [
    f"{path.relative_to(ENGLISH).with_suffix('').as_posix()}/".removesuffix("index/")
    for path in sorted(ENGLISH.glob("*/*.md"))
]
EVERYWHERE = [(language, page) for language in LANGUAGES for page in PAGES]
OVERFLOW = "document.documentElement.scrollWidth - document.documentElement.clientWidth"


@pytest.mark.parametrize("width", [360, 1280])
@pytest.mark.parametrize(("language", "page"), EVERYWHERE)
def test_pages_load_from_one_host_and_fit_their_width(open_page, base, language, page, width):
    opened = open_page(LANGUAGES[language] + page, viewport={"width": width, "height": 800})
    opened.wait_for_load_state("networkidle")

    assert opened.faults == []
    assert [url for url in opened.asked if not url.startswith((base, "data:"))] == []
    assert [url for url in opened.asked if "sitemap" in url or "pagefind" in url] == []
    assert opened.evaluate(OVERFLOW) == 0


def test_the_check_of_the_width_sees_what_is_too_wide(open_page):
    opened = open_page("ar/", viewport={"width": 360, "height": 800}, bypass_csp=True)
    opened.add_style_tag(content="article p { width: 400px !important }")

    assert opened.evaluate(OVERFLOW) > 0


@pytest.mark.parametrize("language", LANGUAGES)
def test_the_switcher_keeps_the_page(open_page, base, language):
    opened = open_page(f"{LANGUAGES[language]}tutorial/scale/")
    for other, start in LANGUAGES.items():
        opened.hover(".md-select")
        opened.click(f".md-select__link[hreflang={other}]")

        opened.wait_for_url(f"{base}{start}tutorial/scale/")
        assert opened.evaluate("document.documentElement.lang") == other


def test_the_colour_scheme_is_remembered_in_all_languages(open_page):
    opened = open_page("", color_scheme="light")
    for _ in range(2):  # from the system's scheme to light, from light to dark
        opened.click("form[data-md-component=palette] label:visible")
    opened.hover(".md-select")
    opened.click(".md-select__link[hreflang=ar]")
    opened.wait_for_url("**/ar/")

    assert opened.evaluate("document.body.dataset.mdColorScheme") == "slate"


@pytest.mark.parametrize("page", ["tutorial/scale/", "typography/"])
@pytest.mark.parametrize("language", LANGUAGES)
def test_copy_buttons_copy_what_is_shown(open_page, language, page):
    opened = open_page(
        LANGUAGES[language] + page, permissions=["clipboard-read", "clipboard-write"]
    )
    blocks = opened.locator("article pre:visible").all()
    assert blocks

    for block in blocks:
        shown = block.locator("code").inner_text().rstrip()
        block.hover()
        block.locator("button").click()

        assert opened.evaluate("navigator.clipboard.readText()") == shown


@pytest.mark.parametrize("language", LANGUAGES)
def test_pages_can_be_read_without_javascript(open_page, base, language):
    opened = open_page(f"{LANGUAGES[language]}tutorial/scale/", java_script_enabled=False)

    for part in ["h1", "article p", "article pre", "article math", ".md-sidebar a.md-nav__link"]:
        assert opened.locator(f"{part}:visible").count() > 0, part
    opened.hover(".md-select")
    opened.click(".md-select__link[hreflang=fr]")
    assert opened.url == f"{base}fr/tutorial/scale/"


def test_the_interface_speaks_the_language(open_page):
    names = {}
    for language, start in LANGUAGES.items():
        opened = open_page(start)
        dialog = opened.get_by_role("dialog").first.get_attribute("aria-label")
        toggle = opened.locator("form[data-md-component=palette] label").first
        names[language] = (dialog, toggle.get_attribute("title"))

    assert len({name for pair in names.values() for name in pair}) == 2 * len(LANGUAGES), names
