"""Every point that readers come for is two clicks from the start, without menus and search."""

from functools import cache
from urllib.parse import urljoin, urlsplit

import pytest
from bs4 import BeautifulSoup

STARTS = {"en": "", "de": "de/", "fr": "fr/", "ar": "ar/"}
POINTS = [
    "tutorial/scale/#pseudocode",  # what tf.scale_gradient(hidden_state, 0.5) does, and where
    "tutorial/scale/#why-half",
    "tutorial/scale/#loss",
    "tutorial/unroll/#whole",  # update_weights
    "notebooks/muzero_trained/",
    "explanation/why-half/",
    "reference/stop_gradient/#parameters",
    "reference/stop_gradient/#search",  # what the operation hides
    "reference/stop_gradient/#uses",
    "reference/stop_gradient/#java",
    "explanation/generator/#search",
    "tutorial/stop/",
    "howto/softmax/",
    "notebooks/softmax/#ties",
    "notebooks/em/",
    "notebooks/contrastive_divergence/",
    "notebooks/adversarial/",
]


@pytest.fixture(scope="module")
def pages_linked(site):
    """A function that returns the pages to which the text of a page leads."""

    @cache
    def linked(page):
        html = BeautifulSoup((site / page / "index.html").read_text("utf-8"), "lxml")
        links = [urljoin(f"/{page}", link["href"]) for link in html.article.select("a[href]")]
        return {urlsplit(link).path.removeprefix("/") for link in links if link.startswith("/")}

    return linked


@pytest.mark.parametrize("start", STARTS.values(), ids=STARTS)
@pytest.mark.parametrize("point", POINTS)
def test_each_point_is_two_clicks_from_the_start(site, pages_linked, start, point):
    page, _, anchor = point.partition("#")
    page = start + page

    first = pages_linked(start)
    second = set().union(*map(pages_linked, [each for each in first if each.endswith("/")]))

    assert page in first | second
    html = BeautifulSoup((site / page / "index.html").read_text("utf-8"), "lxml")
    assert not anchor or html.find(id=anchor)
