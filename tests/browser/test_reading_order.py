"""Code, formulas and numbers on Arabic pages run from left to right.

Judged by where the characters stand on the screen, not by the text."""

import pytest

# Returns the element's characters, but for Arabic ones, and the pairs in the wrong order.
DISORDER = r"""element => {
  const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT)
  const places = [], disorder = []
  for (let node; node = walker.nextNode();) {
    if (node.parentElement.closest('annotation, .md-code__nav')) continue
    for (let i = 0; i < node.data.length; i++) {
      const range = document.createRange()
      range.setStart(node, i)
      range.setEnd(node, i + 1)
      const [box] = range.getClientRects()
      const character = node.data[i]
      if (box?.width && !/[\s\u0600-\u06ff]/.test(character)) places.push({ character, box })
    }
  }
  places.slice(1).forEach(({ character, box }, i) => {
    const before = places[i].box
    const below = box.top >= before.top + before.height / 2
    if (!below && box.left < before.left) disorder.push(places[i].character + character)
  })
  return [places.map(place => place.character).join(''), disorder]
}"""
LINEAR = "math:not(:has(mfrac, msub, msup, msubsup, munder, mover, munderover))"


def disorder(page, selector):
    """Returns {text: the pairs of characters in the wrong order} of all elements."""
    found = [element.evaluate(DISORDER) for element in page.locator(selector).all()]
    assert found, selector
    assert all(text for text, _ in found), "nothing visible to judge"
    return {text: pairs for text, pairs in found if pairs}


@pytest.mark.parametrize("width", [360, 1280])
@pytest.mark.parametrize("page", ["", "tutorial/scale/", "typography/"])
def test_code_formulas_and_numbers_run_from_left_to_right(open_page, page, width):
    opened = open_page(f"ar/{page}", viewport={"width": width, "height": 900})

    assert disorder(opened, "article code:visible") == {}
    assert disorder(opened, f"article {LINEAR}") == {}
    if page == "typography/":
        assert disorder(opened, "article bdi") == {}


def test_code_in_every_kind_of_place_runs_from_left_to_right(open_page):
    page = open_page("ar/typography/")

    for place in ["p", "li", "td", "h1", "h2", "a", ".admonition-title"]:
        assert disorder(page, f"article {place} code") == {}
    assert disorder(page, ".md-sidebar--secondary code") == {}


def test_the_judgement_sees_disorder(open_page):
    page = open_page("ar/typography/", bypass_csp=True)
    stock = "direction: rtl !important; unicode-bidi: normal !important"
    page.add_style_tag(content=f"code, math {{ {stock} }}")

    wrong = disorder(page, "article p code, article td code")

    assert {"(1-s)", "-0.5*x", "--strict", "C++", "@tf.function"} <= set(wrong)
    assert disorder(page, "article p math")
