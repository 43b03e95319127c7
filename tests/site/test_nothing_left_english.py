"""Whatever a reader sees or hears on a translated page is translated: shown by a crawl."""

import re
from pathlib import Path

import pytest
from bs4 import BeautifulSoup

ROOT = Path(__file__).parents[2]
PAGES = [
    path.relative_to(ROOT / "docs/en").with_suffix("").as_posix().removesuffix("index")
    for path in sorted((ROOT / "docs/en").rglob("*.md"))
]
SPOKEN = ["title", "aria-label", "aria-valuetext", "alt", "placeholder", "content"]
# What is no prose, or says itself that it is English; versions of packages; the policy.
APART = "script, style, code, pre, math, annotation, em, [dir=ltr], [lang=en], [http-equiv]"
NAMES = re.compile(
    r"TensorFlow|PyTorch|Keras|MuZero|et al\.|, \d{4}|width=device-width|scale_gradient"
)


def texts(html):
    """Return the texts and the labels of a page that are two words or more."""
    for element in html.select(APART):
        element.extract()
    spoken = [element.get(name, "") for element in html.find_all(True) for name in SPOKEN]
    found = {" ".join(text.split()) for text in [*html.stripped_strings, *spoken]}
    return {text for text in found if len(re.findall(r"[^\W\d_]{2,}", NAMES.sub("", text))) > 1}


@pytest.fixture(scope="module")
def read(site):
    def texts_of(page):
        html = (site / page / "index.html").read_text(encoding="utf-8")
        return texts(BeautifulSoup(html, "lxml"))

    return texts_of


@pytest.mark.parametrize("language", ["de", "fr", "ar"])
@pytest.mark.parametrize("page", PAGES)
def test_a_translated_page_shares_no_text_with_its_original(read, page, language):
    assert not read(page) & read(f"{language}/{page}")


@pytest.mark.parametrize(
    "html",
    [
        "<p>Nothing passes.</p>",
        '<button title="Copy to clipboard"></button>',
        '<input placeholder="Search the site">',
        '<img alt="A closed valve">',
        '<meta name="description" content="Two valves for gradients">',
    ],
)
def test_english_in_any_place_is_noticed(html):
    assert texts(BeautifulSoup(html, "lxml"))


@pytest.mark.parametrize(
    "html", ["<code>a or b</code>", '<p lang="en">A title</p>', "<p>TensorFlow</p>", "<p>0.5</p>"]
)
def test_code_names_and_numbers_may_be_the_same(html):
    assert not texts(BeautifulSoup(html, "lxml"))
