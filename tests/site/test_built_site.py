"""The site as it is published: plain files that hold together and ask no other host."""

import json
import re
import struct
from pathlib import Path
from urllib.parse import parse_qs, unquote, urljoin, urlsplit

import pytest
import yaml
from bs4 import BeautifulSoup

ROOT = Path(__file__).parents[2]
LANGUAGES = {"en": "", "de": "de/", "fr": "fr/", "ar": "ar/"}
ENGLISH = [
    path.relative_to(ROOT / "docs/en").with_suffix("").as_posix().removesuffix("index")
    for path in sorted((ROOT / "docs/en").rglob("*.md"))
]
PAGES = [
    (language, f"{start}{page}".removesuffix("/") + "/" if page else start)
    for language, start in LANGUAGES.items()
    for page in ENGLISH
]
NOT_FOUND = [(language, f"{start}404.html") for language, start in LANGUAGES.items()]


@pytest.fixture(scope="session")
def soup(site):
    """A function that reads an HTML file of the site, once."""
    read = {}

    def parsed(page):
        if page not in read:
            path = site / page / "index.html" if page.endswith("/") or not page else site / page
            read[page] = BeautifulSoup(path.read_text(encoding="utf-8"), "lxml")
        return read[page]

    return parsed


def addresses(html):
    """Yields (element, address) for everything that the page loads or leads to."""
    for element in html.find_all(["a", "link", "script", "img", "iframe", "source", "use", "form"]):
        for attribute in ["href", "src", "action"]:
            if address := element.get(attribute):
                yield element, address


@pytest.mark.parametrize(("language", "page"), PAGES + NOT_FOUND)
def test_pages_say_their_language_and_direction(soup, language, page):
    html = soup(page)

    assert html.html["lang"] == language
    assert html.body["dir"] == ("rtl" if language == "ar" else "ltr")


@pytest.mark.parametrize("page", [page for _, page in PAGES + NOT_FOUND])
def test_links_and_anchors_lead_somewhere(site, soup, address, page):
    for _, link in addresses(soup(page)):
        target = urljoin(address + page, link)
        if not target.startswith(address):
            assert urlsplit(target).scheme in ["https", "mailto"], link
            continue
        place = unquote(urlsplit(target.removeprefix(address)).path)
        path = site / place
        assert path.is_file() or (path / "index.html").is_file(), f"{page} leads to {link}"
        if anchor := unquote(urlsplit(target).fragment):
            assert soup(place).find(id=anchor), f"{page} leads to {link}"


@pytest.mark.parametrize("page", [page for _, page in PAGES])
def test_links_of_pages_are_relative(soup, page):
    for element, link in addresses(soup(page)):
        if element.name == "link" and {"alternate", "canonical"} & set(element["rel"]):
            continue
        assert element.name == "a" or not urlsplit(link).netloc, f"loads {link}"
        assert not link.startswith("/"), link


def test_stylesheets_load_only_their_own_files(site):
    for sheet in site.rglob("*.css"):
        for link in re.findall(r"url\(\s*[\"']?([^\"')]+)", sheet.read_text(encoding="utf-8")):
            if not link.startswith(("data:", "#")):
                assert (sheet.parent / urlsplit(link).path).is_file(), f"{sheet.name}: {link}"


@pytest.mark.parametrize(("language", "page"), PAGES)
def test_translations_name_each_other_with_full_addresses(soup, address, language, page):
    english = page.removeprefix(LANGUAGES[language])
    expected = {code: f"{address}{start}{english}" for code, start in LANGUAGES.items()}
    expected["x-default"] = expected["en"]

    links = soup(page).find_all("link", hreflang=True)

    assert {link["hreflang"]: link["href"] for link in links} == expected
    assert all(link["rel"] == ["alternate"] for link in links)
    assert soup(page).find("link", rel="canonical")["href"] == address + page


@pytest.mark.parametrize(("language", "page"), PAGES)
def test_the_switcher_stays_on_the_page(soup, address, language, page):
    english = page.removeprefix(LANGUAGES[language])

    links = soup(page).select(".md-select__link")

    assert {link["lang"]: urljoin(address + page, link["href"]) for link in links} == {
        code: f"{address}{start}{english}" for code, start in LANGUAGES.items()
    }


@pytest.mark.parametrize(("language", "page"), PAGES)
def test_translated_pages_lead_to_their_original(soup, address, language, page):
    original = soup(page).select(".gv-original a[hreflang]")

    if language == "en":
        assert not original
    else:
        english = address + page.removeprefix(LANGUAGES[language])
        assert [urljoin(address + page, link["href"]) for link in original] == [english]


@pytest.mark.parametrize(("language", "page"), PAGES)
def test_mistakes_are_reported_with_the_form_of_the_project(soup, address, language, page):
    (report,) = soup(page).select(".gv-original a:not([hreflang])")

    form = urlsplit(report["href"])
    given = parse_qs(form.query)
    assert form.path == "/example/project/issues/new"
    assert given["page"] == [address + page]
    (template,) = given["template"]
    assert template == ("page.yml" if language == "en" else "translation.yml")
    fields = yaml.safe_load((ROOT / ".github/ISSUE_TEMPLATE" / template).read_text("utf-8"))["body"]
    assert "page" in [field.get("id") for field in fields]


@pytest.mark.parametrize(("language", "page"), NOT_FOUND)
def test_404_pages_speak_their_language_and_the_root_speaks_all(soup, language, page):
    sections = soup(page).select(".gv-not-found")

    expected = list(LANGUAGES) if language == "en" else [language]
    assert [section["lang"] for section in sections] == expected


@pytest.mark.parametrize("page", [page for _, page in PAGES])
def test_nothing_is_left_unconverted(soup, page):
    article = soup(page).article
    for code in article.find_all(["code", "annotation"]):
        code.clear()

    assert not re.search(r"\\[(\[]|\$|\{\{|--8<--", article.get_text())
    assert all(formula.math for formula in article.select(".arithmatex"))


def test_interface_words_are_mended(soup):
    assert not re.search("إبحث|إختر|عنوان العارضة", str(soup("ar/")))
    assert "presse-papier " not in str(soup("fr/"))


def test_every_page_has_a_description_and_in_its_language_a_title_of_its_own(soup):
    titles = {(language, soup(page).title.string) for language, page in PAGES}
    descriptions = {
        soup(page).find("meta", {"name": "description"})["content"] for _, page in PAGES
    }

    assert len(titles) == len(PAGES)
    assert len(descriptions) == len(PAGES)


def test_search_has_an_index_for_each_language(site):
    entry = json.loads((site / "pagefind/pagefind-entry.json").read_text(encoding="utf-8"))

    counts = {language: index["page_count"] for language, index in entry["languages"].items()}
    assert counts == dict.fromkeys(LANGUAGES, len(ENGLISH))
    assert (site / "search/search_index.json").read_text(encoding="utf-8") == "{}"


def test_the_download_is_the_module(site):
    module = ROOT / "src/gradvalve/tensorflow.py"

    assert (site / "downloads/gradvalve_tensorflow.py").read_bytes() == module.read_bytes()


def test_sources_of_the_pages_are_not_published(site):
    assert not list(site.rglob("*.md"))
    assert not list(site.rglob("terms.csv"))
    assert not (site / "snippets").exists()


@pytest.mark.parametrize("page", [page for _, page in PAGES])
def test_a_shared_link_shows_title_and_picture(site, soup, address, page):
    tags = soup(page).find_all("meta", property=re.compile("^og:"))
    shown = {tag["property"]: tag["content"] for tag in tags}

    assert shown["og:url"] == address + page
    assert shown["og:locale"] == soup(page).html["lang"]
    assert soup(page).title.string.startswith(shown["og:title"])
    assert shown["og:description"] == soup(page).find("meta", {"name": "description"})["content"]
    picture = site / shown["og:image"].removeprefix(address)
    size = struct.unpack(">II", picture.read_bytes()[16:24])
    assert size == (int(shown["og:image:width"]), int(shown["og:image:height"]))


def test_the_site_map_names_all_pages_and_their_translations(site, address):
    urls = BeautifulSoup((site / "sitemap.xml").read_text(encoding="utf-8"), "xml").find_all("url")
    alternates = {
        url.loc.string: {link["hreflang"]: link["href"] for link in url.find_all("link")}
        for url in urls
    }

    assert sorted(alternates) == sorted(address + page for _, page in PAGES)
    for language, page in PAGES:
        english = page.removeprefix(LANGUAGES[language])
        found = alternates[address + page]
        assert (
            found.items()
            >= {code: f"{address}{start}{english}" for code, start in LANGUAGES.items()}.items()
        )


@pytest.mark.parametrize(
    ("start", "names"),
    [
        ("", ["Start", "Tutorial", "How-to", "Explanation", "Reference"]),
        ("de/", ["Start", "Tutorial", "Anleitungen", "Hintergrund", "Referenz"]),
        ("fr/", ["Accueil", "Tutoriel", "Guides pratiques", "Explications", "Référence"]),
        ("ar/", ["البداية", "درس تطبيقي", "أدلة عملية", "شرح", "مرجع"]),
    ],
)
def test_there_are_five_tabs(soup, start, names):
    tabs = soup(f"{start}howto/nan/").select(".md-tabs__link")

    assert [tab.get_text(strip=True) for tab in tabs] == names


@pytest.mark.parametrize("start", LANGUAGES.values(), ids=LANGUAGES)
def test_the_list_of_notebooks_has_each_with_a_picture(soup, address, start):
    listed = soup(f"{start}notebooks/").select(".gv-gallery li")
    found = [urljoin(f"{address}{start}notebooks/", item.a["href"]) for item in listed]

    docs = ROOT / "docs/en"
    runs = [path for path in docs.rglob("*.md") if "\nnotebook: " in path.read_text("utf-8")]
    names = [path.relative_to(docs).with_suffix("").as_posix() for path in runs]
    assert sorted(found) == sorted(f"{address}{start}{page}/" for page in names)
    assert all(item.svg.path for item in listed)
