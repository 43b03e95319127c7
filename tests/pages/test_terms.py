"""docs/terms.csv is in order, and the words that it rules out are found on the pages."""

import re
from pathlib import Path

import pytest

from gradvalve_site.checks import terms
from gradvalve_site.checks.page import LANGUAGES, parse

FILE = Path(__file__).parents[2] / "docs" / "terms.csv"
ROWS = terms.rows(FILE)
FORMS = [
    (language, form)
    for language in LANGUAGES[1:]
    for row in ROWS
    for form in row[f"not_{language}"].split("|")
    if form
]


def check(language, text):
    return list(terms.check(parse(text, Path("page.md"), language, "page.md"), FILE))


def test_terms_are_complete_in_four_languages_and_sorted():
    names = [row["en"] for row in ROWS]

    assert all(row[language].strip() for row in ROWS for language in LANGUAGES)
    assert names == sorted(set(names), key=str.casefold)
    assert all(None not in row for row in ROWS)  # a comma too many


def test_no_form_is_ruled_out_twice():
    assert len(FORMS) == len(set(FORMS))


def test_no_preferred_term_holds_a_form_that_is_ruled_out():
    assert [each for row in ROWS for lang in LANGUAGES for each in check(lang, row[lang])] == []


def test_every_form_is_found_in_a_sentence_and_fails_or_warns():
    for language, form in FORMS:
        word = form.removesuffix("?")
        complaints = check(language, f"– {word[0].upper()}{word[1:]}, …")

        found = [each.fatal for each in complaints if f"'{word}' " in each.message]
        assert found == [not form.endswith("?")]


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("de", "Der **Farbverlauf**, den"),
        ("de", "an\nOrt und Stelle; ein gegnerisches\nTraining"),
        ("fr", "ce rythme d’apprentissage"),
        ("ar", "هذا وبالدعم الخلفي"),
        ("ar", "هذا للدعمِ الخلفيّ كله"),
        ("ar", "وبتنسور"),
        ("ar", "المستقرّة رقميًّا"),
        ("ar", "تـنـسـور"),
        ("de", '[der Text](a.md "Der Farbverlauf")'),
        ("de", '```python title="Der Farbverlauf"\n```\n'),
        ("de", '=== "Farbverlauf"\n'),
        ("de", '!!! note "Farbverlauf"\n'),
        ("de", "![Ein Farbverlauf](a.svg)"),
        ("de", "---\ntitle: Der Farbverlauf\n---\n"),
        ("de", '<img alt="Der Farbverlauf">'),
    ],
)
def test_inflected_by_case_prefix_or_markup_a_form_is_found(language, text):
    assert len(check(language, text)) == 1


@pytest.mark.parametrize(
    ("language", "text"),
    [
        ("de", "Die Farbverläufe und Farbverlaufs"),  # whole words only
        ("de", "le dégradé"),  # a form of another language
        ("fr", "der Farbverlauf"),
        ("en", "Farbverlauf, dégradé"),
        ("de", "`Farbverlauf`, $Farbverlauf$, [Text](Farbverlauf.md){ #Farbverlauf }"),
        ("de", "```text\nFarbverlauf\n```\n"),
        ("de", "---\nFarbverlauf: 1\n---\n"),
        ("de", '<i lang="fr">Farbverlauf</i>'),
        ("ar", "الموتّر وتنسورات"),
        ("ar", "يستنسور"),  # the form inside of a word
    ],
)
def test_other_words_code_and_other_languages_are_left_alone(language, text):
    assert check(language, text) == []


def test_complaint_says_what_to_write(after):
    assert after("de/valve.md", "Ein Punkt", "Ein Farbverlauf") == [
        "docs/de/valve.md:32: terms: 'Farbverlauf' is ruled out; the term is: "
        "der Gradient (des/dem/den Gradienten, Pl. die Gradienten)"
    ]


def test_a_form_that_may_be_right_is_only_a_warning(after):
    assert after("de/valve.md", "Ein Punkt", "Der Vorlauf") == [
        "docs/de/valve.md:32: terms (a warning): is 'Vorlauf' meant as a term here; the term is: "
        "der Vorwärtsdurchlauf (Forward Pass)"
    ]


def test_notes_are_plain_sentences():
    assert [row["note"] for row in ROWS if re.search(r"\[|variants|\d+x", row["note"])] == []
