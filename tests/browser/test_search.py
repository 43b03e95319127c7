"""The search field, in every language."""

import csv
from pathlib import Path

import pytest
from playwright.sync_api import expect

LANGUAGES = {"en": "", "de": "de/", "fr": "fr/", "ar": "ar/"}
DOCS = Path(__file__).parents[2] / "docs"
with Path(__file__).with_name("queries.csv").open(encoding="utf-8") as file:
    QUERIES = [
        query
        for query in csv.DictReader(file)
        if all((DOCS / "en" / f"{page}.md").exists() for page in query["page"].split("|"))
    ]
FIRST = 3  # results that a reader looks at


def search(page, query):
    """Types a query and returns the addresses found, page by page, best first."""
    field = page.locator(".md-search__input")
    field.fill("")
    field.press("End")  # Material goes by keys
    page.wait_for_selector(".md-search-result__item", state="detached")
    said = page.locator(".md-search-result__meta")
    empty = said.inner_text()
    field.fill(query)
    field.press("End")
    expect(said).not_to_have_text(empty)
    links = page.locator(".md-search-result__item > a:first-child").all()
    return [link.get_attribute("href") for link in links]


def belongs(address, base, language):
    """Says whether an address lies in the language's part of the site."""
    first = address.removeprefix(base).split("/")[0]
    return first == language if language != "en" else first not in LANGUAGES


@pytest.mark.parametrize("language", LANGUAGES)
def test_every_query_finds_its_page_and_nothing_foreign(open_page, base, language, capsys):
    page = open_page(LANGUAGES[language])
    page.keyboard.press("/")
    missed = []
    for query in [query for query in QUERIES if query["lang"] == language]:
        found = search(page, query["query"])
        wanted = [
            f"{base}{LANGUAGES[language]}{page}/".replace("/index/", "/")
            for page in query["page"].split("|")
        ]
        rank = min((found.index(each) + 1 for each in wanted if each in found), default=None)
        with capsys.disabled():
            print(f"\n{language} {query['query']} → {query['page']}: rank {rank}", end="")
        assert all(belongs(address, base, language) for address in found), found
        if rank is None or rank > FIRST:
            missed.append(query["query"])

    assert not missed
    assert page.faults == []


@pytest.mark.parametrize(
    ("language", "word", "marked"),
    [
        ("en", "hidden states", "hidden"),
        ("de", "zustaende", "Zustand"),
        ("fr", "etat", "état"),
        ("ar", "تدرج", "التدرّج"),
    ],
)
def test_excerpts_mark_the_words_that_were_found(open_page, base, language, word, marked):
    page = open_page(f"{LANGUAGES[language]}tutorial/scale/")
    page.keyboard.press("/")

    found = search(page, word)

    assert found
    assert all(belongs(address, base, language) for address in found)
    assert any(marked in mark for mark in page.locator(".md-search-result mark").all_inner_texts())
    page.locator(".md-search-result__link").first.click()
    page.wait_for_url(lambda url: belongs(url, base, language))


def test_nothing_of_the_index_is_loaded_before_the_first_query(open_page):
    page = open_page("")
    page.wait_for_load_state("networkidle")
    page.keyboard.press("/")
    page.wait_for_timeout(300)
    assert not [url for url in page.asked if "pagefind" in url]

    search(page, "gradient")

    assert [url for url in page.asked if "pagefind" in url]


@pytest.mark.parametrize("word", ["zzz", "Bundeskanzlerin", "xylophone"])
def test_words_that_stand_nowhere_find_nothing(open_page, word):
    page = open_page("")
    page.keyboard.press("/")

    assert search(page, word) == []
    assert page.inner_text(".md-search-result__meta").strip() == "No matching documents"


def test_titles_are_text_and_not_markup(open_page):
    page = open_page("typography/")
    page.keyboard.press("/")

    search(page, "@tf.function")

    titles = page.locator(".md-search-result__item h2").all_inner_texts()
    assert any("a<b>c & d" in title for title in titles), titles
