"""The fonts that the site serves, cut down to what it shows."""

import os
import re
import unicodedata

import pytest
from bs4 import BeautifulSoup
from fontTools.ttLib import TTFont

from gradvalve_site import fonts

SPACES = {"\u2061", "\u2062", "\u2063", "\u2064"}  # invisible operators


def formula_characters(html):
    """Return the characters that formulas show; browsers turn a lone letter into its italic."""
    shown = set()
    for leaf in BeautifulSoup(html, "lxml").select("mi, mn, mo, mtext"):
        text = leaf.get_text()
        if leaf.name == "mi" and len(text) == 1 and leaf.get("mathvariant") != "normal":
            text = italic(text)
        shown |= set(text)
    return {character for character in shown if not character.isspace()} - SPACES


def italic(letter):
    if letter == "h":
        return "ℎ"
    name = re.sub(
        r"(LATIN|GREEK) (\w+) LETTER", r"MATHEMATICAL ITALIC \2", unicodedata.name(letter)
    )
    try:
        return unicodedata.lookup(name)
    except KeyError:
        return letter


def missing(characters, path):
    with TTFont(path) as font:
        return {character for character in characters if ord(character) not in font.getBestCmap()}


def test_the_mathematics_font_has_all_characters_of_all_formulas(site):
    pages = list(site.rglob("*.html"))
    shown = set().union(*(formula_characters(page.read_text("utf-8")) for page in pages))

    assert {"𝑥", "𝛿", "⋯"} <= shown
    assert missing(shown, site / "assets/fonts/stix-two-math.woff2") == set()


def test_a_character_that_was_cut_off_is_seen(site):
    shown = formula_characters("<math><mi>x</mi><mo>⩕</mo></math>")

    assert missing(shown, site / "assets/fonts/stix-two-math.woff2") == {"⩕"}


def test_code_keeps_the_characters_that_were_typed(site):
    with TTFont(site / "assets/fonts/jetbrains-mono.woff2") as font:
        features = {record.FeatureTag for record in font["GSUB"].table.FeatureList.FeatureRecord}

    assert not features & {"calt", "liga"}


def test_fonts_are_cut_again_only_when_their_packages_change(tmp_path, monkeypatch):
    cut = []
    monkeypatch.setattr(fonts, "_cut", lambda _, path: cut.append(path))
    (tmp_path / "package-lock.json").touch()
    for path in fonts.provide(tmp_path):
        path.parent.mkdir(parents=True, exist_ok=True)
        path.touch()
    cut.clear()

    fonts.provide(tmp_path)
    assert cut == []

    later = max(path.stat().st_mtime for path in tmp_path.rglob("*")) + 1
    os.utime(tmp_path / "package-lock.json", (later, later))
    assert fonts.provide(tmp_path) == cut


def test_a_missing_package_is_named(tmp_path):
    (tmp_path / "package-lock.json").touch()

    with pytest.raises(FileNotFoundError, match=r"inter-latin-wght-normal\.woff2 is missing"):
        fonts.provide(tmp_path)
