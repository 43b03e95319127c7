"""A live example stands in the same place of all translations; only there it has labels."""

import pytest

from gradvalve_site import checks, translated

FENCES = {
    "en": "```live\nexample: valve\ntitle: A valve in the path\n```",
    "de": "```live\nexample: valve\ntitle: Ein Ventil im Pfad\nlabels:\n"
    '  "value: of x_1 after 25 steps": Wert von x_1 nach 25\u00a0Schritten\n  error: Fehler\n```',
    "fr": "```live\nexample: valve\ntitle: Une vanne sur le chemin\nlabels:\n  error: erreur\n```",
    "ar": "```live\nexample: valve\ntitle: صمام في المسار\nlabels:\n  error: الخطأ\n```",
}


@pytest.fixture
def complaints(docs):
    """A function that puts the example into all pages, changes one, and returns what is said."""

    def after(language="de", old="", new=""):
        for each, fence in FENCES.items():
            page = docs / each / "valve.md"
            if each == language:
                assert old in fence
                fence = fence.replace(old, new)
            text = page.read_text(encoding="utf-8")
            page.write_text(f"{text}\n{fence}\n", encoding="utf-8")
        for each in ("de", "fr", "ar"):
            translated.main(["valve.md", each])
        return [str(complaint) for complaint in checks.check(docs)]

    return after


def test_labels_may_differ_from_language_to_language(complaints):
    assert complaints() == []


@pytest.mark.parametrize(
    ("old", "new", "message"),
    [
        ("example: valve", "example: tap", "structure: this live example differs from docs/en/va"),
        ("\n```", "\nerror: TypeError\n```", "structure: this live example differs from docs/en/"),
        ("live\n", "text\n", "structure: fence stands where docs/en/valve.md:45 has live example"),
        (FENCES["de"], "", "structure: nothing more stands where docs/en/valve.md:45 has live exa"),
        ("title: Ein Ventil im Pfad", "title: A valve in the path", "leftovers: this is the Engl"),
        ("error: Fehler", "error: Fehler , Abstand", "typography: a space before the mark"),
        ("error: Fehler", "error: Rundfunk", "terms: "),
    ],
)
def test_what_else_differs_is_found(complaints, old, new, message):
    first = complaints("de", old, new)[0]

    assert first.startswith("docs/de/valve.md:")
    assert f": {message}" in first


def test_a_new_title_makes_translations_stale_and_labels_do_not(complaints, docs):
    assert complaints() == []
    english = docs / "en/valve.md"
    text = english.read_text(encoding="utf-8")
    english.write_text(text.replace("A valve in the path", "The valve"), encoding="utf-8")

    found = [str(complaint) for complaint in checks.check(docs)]

    assert len(found) == 3
    assert all("freshness" in complaint for complaint in found)
