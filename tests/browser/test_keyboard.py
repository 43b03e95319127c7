"""On a phone, the keyboard reaches everything that is seen, and nothing that isn't."""

import pytest

LANGUAGES = {"en": "", "de": "de/", "fr": "fr/", "ar": "ar/"}
PHONE = {"viewport": {"width": 360, "height": 740}}
FOCUSED = """() => {
  const element = document.activeElement, box = element.getBoundingClientRect()
  const target = element.getAttribute("for") ?? element.href ?? element.tagName
  const hidden = getComputedStyle(element).visibility !== "visible"
  return [target, !hidden && box.right > 0 && box.left < innerWidth]
}"""


def walk(page, steps):
    """Press Tab and return what had the focus: pairs of a target, and whether it can be seen."""
    for _ in range(steps):
        page.keyboard.press("Tab")
        yield page.evaluate(FOCUSED)


@pytest.mark.parametrize("start", LANGUAGES.values(), ids=LANGUAGES)
def test_each_focused_element_is_on_the_screen(open_page, start):
    page = open_page(start, **PHONE)

    focused = list(walk(page, 20))

    assert [target for target, seen in focused if not seen] == []
    assert {"__drawer", "__search"} <= {target for target, _ in focused}


def test_the_menu_opens_by_enter_leads_on_and_closes_by_escape(open_page):
    page = open_page(**PHONE)
    page.locator(".md-header__button[for=__drawer]").press("Enter")
    page.wait_for_timeout(400)

    assert any("tutorial/scale" in target and seen for target, seen in walk(page, 20))

    page.keyboard.press("Escape")
    assert not page.locator("#__drawer").is_checked()


def test_the_search_opens_by_the_space_bar_and_takes_words(open_page):
    page = open_page(**PHONE)
    page.locator(".md-header__button[for=__search]").press(" ")
    page.wait_for_timeout(400)
    page.keyboard.type("hook")

    page.locator(".md-search-result__link").first.wait_for()


@pytest.mark.parametrize("name", ["__drawer", "__search"])
def test_openers_have_a_name_in_the_language_of_the_page(open_page, name):
    opener = f".md-header__button[for={name}]"
    names = [
        open_page(start, **PHONE).locator(opener).get_attribute("aria-label")
        for start in LANGUAGES.values()
    ]

    assert all(names)
    assert len(set(names)) > 1
