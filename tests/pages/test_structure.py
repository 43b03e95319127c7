"""A translation that differs from English in more than its words is refused."""

import pytest

from gradvalve_site import checks
from gradvalve_site.checks import freshness


def test_pages_in_order_give_no_complaint(docs):
    assert list(checks.check(docs)) == []


@pytest.mark.parametrize(
    ("old", "new", "line", "message"),
    [
        # front matter
        ("title: Das Ventil\n", "", 1, "the front matter needs a title"),
        ("tion: Ein Ventil", "tion: Dies: Ein Ventil", 1, "the front matter needs a title"),
        ("---\n\n#", "hide: toc\n---\n\n#", 1, "the value of hide differs from the front matter"),
        (
            "---\n\n#",
            "captions:\n  a: Ein Bild.\n---\n\n#",
            1,
            "the value of captions differs from",
        ),
        # headings
        (" { #table }", "", 16, "a heading needs an id of its own"),
        ("{ #table }", "{ #valve }", 7, "a heading needs an id of its own"),
        ("{ #valve }", "{ #ventil }", 7, "heading of level 1 { #ventil } stands where doc"),
        ("## Alle", "### Alle", 16, "heading of level 3 { #table } stands where docs"),
        ("- Ein Punkt", "## Neu { #new }", 32, "heading of level 2 { #new } stands where docs"),
        # blocks
        ("- Ein Punkt\n", "", 33, "admonition stands where docs/en/valve.md:31 has item"),
        ("- Ein Punkt", "1. Ein Punkt", 32, "numbered item stands where docs/en/valve.md:31"),
        ("Es drehen.", "Es drehen.\n3. Fertig.", 31, "numbered item stands where docs/en/valve"),
        ("dreht es.", "dreht es.\n\nDas ist alles.", 46, "paragraph stands where docs/en/valve"),
        ("| offen | `1` |", "| offen `1` |", 26, "row of 1 cells stands where docs/en/valve.md"),
        # what stands in order
        ('print("it', 'print("It', 11, "this fence differs from docs/en/valve.md:10"),
        ("```python", "```java", 11, "this fence differs from docs/en/valve.md:10"),
        ('/with_python.py"', '/with_java.py"', 11, "this fence differs from docs/en/valve.md:10"),
        ('!!! note "V', '!!! tip "V', 34, "this admonition differs from docs/en/valve.md:33"),
        ("--: |", ":-- |", 25, "this alignment differs from docs/en/valve.md:24"),
        # what stands in sentences
        ("`x` zurück", "`y` zurück", 9, "the code '`y`' isn't in this section of docs/en/valve"),
        ("$s = 1$", "$s = 2$", 18, "the formula '$s = 2$' isn't in this section of docs/en"),
        ("= g\n", "= 2g\n", 20, r"the formula '$$\n\\delta_k = 2g\n$$' isn't in this section"),
        (":closed", ":open", 27, "the placeholder '{{ valve/with_python:open }}' isn't in this"),
        ("Alle 25", "Alle 26", 9, "the number '26' isn't in this section of docs/en/valve.md"),
        ("<kbd>E", "<b>E", 44, "the html '<b>' isn't in this section of docs/en/valve.md"),
        ("valve.svg", "ventil.svg", 40, "the image '![](ventil.svg)' isn't in this section of"),
        ("width=200", "width=300", 40, "the attributes '{ width=300 }' isn't in this section of"),
        ("](#table)", "](#valve)", 9, "the link '](#valve)' isn't in this section of docs/en"),
    ],
)
def test_first_complaint_names_what_is_out_of_step(old, new, line, message, after):
    first = after("de/valve.md", old, new)[0]

    assert first.startswith(f"docs/de/valve.md:{line}: structure: {message}")


@pytest.mark.parametrize(
    ("old", "new", "count"),
    [
        ("1. Die Zeile lesen.\n", "", 1),
        ("```python", "```java", 1),
        ("## Alle Fälle { #table }\n\n", "", 2),  # and the link to it leads nowhere
        ("`x` zurück", "`y` zurück", 2),  # one is strange, one is missing
    ],
)
def test_one_mistake_does_not_give_a_flood(old, new, count, after):
    assert len(after("de/valve.md", old, new)) == count


def test_what_is_missing_is_named_with_its_place_in_english(after):
    assert after("ar/valve.md", "، وعددها 25", "") == [
        "docs/ar/valve.md:7: structure: the number '25' of docs/en/valve.md:8 is missing"
    ]


def test_a_section_that_is_missing_is_named_with_its_place_in_english(docs, after):
    page = (docs / "fr/valve.md").read_text(encoding="utf-8")
    end = page[page.index("## Tous") :]

    complaints = after("fr/valve.md", end, "")

    assert complaints == [
        "docs/fr/valve.md:9: structure: docs/fr/valve.md has no heading { #table }",
        "docs/fr/valve.md:16: structure: "
        "nothing more stands where docs/en/valve.md:15 has heading of level 2 { #table }",
    ]


def test_a_sentence_may_mention_code_and_formulas_again(after):
    assert after("fr/valve.md", "La fonction `valve(x)`", "Appliquée à `x`, `valve(x)`") == []


def test_a_sentence_may_write_small_numbers_in_words_or_digits(after):
    assert after("de/valve.md", "Ein Punkt", "1\u00a0Punkt oder 2") == []


def test_numbers_are_compared_as_each_language_writes_them(docs, after):
    for language, number in [("de", "0,25"), ("fr", "0,25"), ("ar", "0.25")]:
        page = docs / language / "valve.md"
        page.write_text(page.read_text(encoding="utf-8").replace("25", number), encoding="utf-8")

    complaints = after("en/valve.md", "25", "0.25")

    assert [line for line in complaints if "structure" in line] == []


def test_a_link_must_not_come_twice(after):
    assert after("de/valve.md", "die [Tab", "die [Liste](#table), die [Tab") == [
        "docs/de/valve.md:9: structure: "
        "the link '](#table)' isn't in this section of docs/en/valve.md"
    ]


@pytest.mark.parametrize(
    ("target", "message"),
    [
        ("home.md", "there is no page home.md"),
        ("index.md#end", "docs/en/index.md has no heading { #end }"),
    ],
)
def test_a_link_to_nowhere_is_found_in_english_too(target, message, after):
    first = after("en/valve.md", "index.md#start", target)[0]

    assert first == f"docs/en/valve.md:8: structure: {message}"


@pytest.mark.parametrize("language", ["en", "ar"])
def test_a_page_that_is_missing_in_one_language_is_found(language, docs):
    (docs / language / "valve.md").unlink()

    assert [str(complaint) for complaint in checks.check(docs)] == [
        f"docs/{language}/valve.md:1: structure: "
        "this page is missing: each page stands in all languages"
    ]


NOTEBOOK = "notebook: trial\ncaptions:\n  {}: {} `x` {{{{ trial:half }}}}.\n"


@pytest.fixture
def captioned(docs):
    """Give the page on the valve a figure in all languages; return what the checks say."""

    def complaints(language=None, cell="chart", caption="Bild", more=""):
        texts = {"en": "Picture of", "de": "Bild von", "fr": "Image de", "ar": "صورة"}
        for code, text in texts.items():
            path = docs / code / "valve.md"
            names = (cell, caption) if code == language else ("chart", text)
            front = NOTEBOOK.format(*names) + (more if code == language else "")
            page = path.read_text(encoding="utf-8")
            path.write_text(page.replace("\n---\n", f"\n{front}---\n", 1), encoding="utf-8")
        found = map(str, checks.check(docs))
        return [each for each in found if "freshness" not in each]

    return complaints


def test_labels_of_figures_may_name_numbers_and_code(captioned):
    assert captioned("de", more='labels:\n  "`f` at 0.1": "`f` bei 0,1"\n') == []


def test_captions_and_labels_differ_between_languages(captioned):
    assert captioned("de", more='labels:\n  "step k": "Schritt k"\n') == []


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"cell": "other"}, "1: structure: the value of captions differs from the front matter"),
        ({"caption": "Ein `y` und"}, "structure: the code '`y`' isn't in this section of"),
        ({"caption": "Der Farbverlauf"}, "7: terms: 'Farbverlauf' is ruled out"),
        ({"caption": "This is what you see in"}, "7: leftovers: this looks English"),
        ({"more": 'labels:\n  "step k": "Farbverlauf"\n'}, "9: terms: 'Farbverlauf' is ruled out"),
    ],
    ids=["another cell", "other code", "a wrong term", "English", "a wrong term in a label"],
)
def test_captions_and_labels_are_checked_like_other_prose(captioned, arguments, message):
    first = captioned("de", **arguments)[0]

    assert first.startswith("docs/de/valve.md:")
    assert message in first


def test_a_changed_english_caption_makes_translations_stale(docs):
    before = freshness.source_hash(checks.read_all(docs)["en", "valve.md"])
    path = docs / "en/valve.md"
    text = path.read_text(encoding="utf-8")
    captions = "notebook: trial\ncaptions:\n  chart: A picture.\n"
    path.write_text(text.replace("\n---\n", f"\n{captions}---\n", 1), encoding="utf-8")

    assert freshness.source_hash(checks.read_all(docs)["en", "valve.md"]) != before
