"""Spelling: each word is in the dictionary of its language, or in a list that is kept here.

spelling/names.txt holds names, whatever the language; spelling/LANGUAGE.txt the terms that the
dictionary lacks, and the English words that a translation gives in brackets.
"""

import re
import subprocess
from pathlib import Path

import pytest

from gradvalve_site import words
from gradvalve_site.checks import page, terms

ROOT = Path(__file__).parents[2]
SPELLING = Path(__file__).parent / "spelling"
LOCALES = {"en": "en-GB", "de": "de", "fr": "fr", "ar": "ar"}
LISTS = ["names", *LOCALES]


def prose(language):
    """Return what readers of a language read: no code, no vowel signs, in Arabic only Arabic."""
    paths = sorted((ROOT / "docs" / language).rglob("*.md"))
    texts = [page.read(path, ROOT / "docs").prose for path in paths]
    for said in [words.WORDS, words.LIVE_BUTTONS, words.LIVE_MESSAGES, words.LIVE_WORDS]:
        texts += [re.sub(r"\{\w+\}", " ", text) for text in said[language].values()]
    text, _ = terms.without_signs("\n".join(texts))
    apart = page.FILLERS + ("A-Za-z" if language == "ar" else "")
    return re.sub(f"[{apart}]", " ", text)


def unknown(text, language, config=SPELLING / "cspell.json"):
    """Return the words that the speller does not know."""
    cspell = [ROOT / ".venv/bin/node", ROOT / "node_modules/cspell/bin.mjs", "lint", "stdin"]
    options = ["--words-only", "--unique", "--no-progress", "--no-summary"]
    # Its own configuration would add English words to every language.
    options += ["--no-default-configuration", "--config", config, "--locale", LOCALES[language]]
    done = subprocess.run([*cspell, *options], input=text, capture_output=True, encoding="utf-8")
    assert done.returncode in (0, 1), done.stderr  # 1: it found some
    return sorted(set(done.stdout.split()))


def kept(name):
    return (SPELLING / f"{name}.txt").read_text(encoding="utf-8").split()


@pytest.mark.parametrize("language", LOCALES)
def test_every_word_is_known_or_kept(language):
    assert unknown(prose(language), language) == []


@pytest.mark.parametrize(
    ("language", "text", "wrong"),
    [
        ("en", "A gradiant is multiplied.", "gradiant"),
        ("de", "Der Gradient wird mulitpliziert.", "mulitpliziert"),
        ("fr", "Le gradient est multiplé.", "multiplé"),
        ("ar", "يُضرَب التدرّج في معاملل.", "معاملل"),
    ],
)
def test_a_slip_of_the_finger_is_noticed(language, text, wrong):
    assert unknown(terms.without_signs(text)[0], language) == [wrong]


@pytest.mark.parametrize("name", LISTS)
def test_lists_are_in_order_and_hold_nothing_that_no_page_uses(name):
    read = " ".join(map(prose, LOCALES if name == "names" else [name]))

    assert kept(name) == sorted(set(kept(name)))
    assert [word for word in kept(name) if word.lower() not in read.lower()] == []
