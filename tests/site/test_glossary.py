"""The glossary's entries, and the links that lead to them."""

from pathlib import Path
from types import SimpleNamespace

import pytest
from mkdocs.exceptions import PluginError

from gradvalve_site import glossary

DOCS = Path(__file__).parents[2] / "docs"
CONFIG = SimpleNamespace(docs_dir=DOCS)
TERMS = glossary.PLACEHOLDER.findall((DOCS / "en/reference/glossary.md").read_text("utf-8"))


def page(language="en", name="howto/nan.md"):
    source = DOCS / language / name
    file = SimpleNamespace(
        locale=language, src_uri=f"{language}/{name}", abs_src_path=source, name=source.stem
    )
    return SimpleNamespace(file=file)


def linked(text, language="en", name="howto/nan.md"):
    return glossary.link(text, page(language, name), CONFIG)


@pytest.mark.parametrize(
    ("language", "text", "use", "term"),
    [
        ("en", "All gradients vanish.", "gradients", "gradient"),
        ("de", "des Gradienten", "Gradienten", "gradient"),
        ("de", "im Rückwärtsdurchlauf", "Rückwärtsdurchlauf", "backward-pass"),
        ("fr", "les passes arrière", "passes arrière", "backward-pass"),
        ("fr", "l'optimiseur", "optimiseur", "optimizer"),
        ("ar", "وبالتدرّج", "وبالتدرّج", "gradient"),
        ("ar", "هذه تدرّجات", "تدرّجات", "gradient"),
    ],
)
def test_a_term_is_found_in_its_inflected_forms(language, text, use, term):
    expected = text.replace(use, f"[{use}](../reference/glossary.md#{term})")

    assert linked(text, language) == expected


def test_only_the_first_use_is_linked():
    text = linked("A gradient, and another gradient.\n\nA gradient.")

    assert text.startswith("A [gradient](")
    assert text.count("](") == 1


def test_the_longer_of_two_terms_is_meant():
    text = linked("By gradient descent. Later, the gradient.")

    assert "[gradient descent](../reference/glossary.md#gradient-descent)" in text
    assert "the [gradient](../reference/glossary.md#gradient)" in text


@pytest.mark.parametrize(
    "text",
    [
        "# The gradient { #gradient }",
        "`gradient`",
        "$\\text{gradient}$",
        "```python\ngradient = 1\n```",
        "[the gradient](nan.md)",
        '![the gradient](x.png "gradient")',
        '!!! note "Gradient"',
        '```text title="Gradient"\n1\n```',
        "{{ topic/with_python:gradient }}",
    ],
)
def test_what_is_no_running_text_stays_as_it_is(text):
    assert linked(text) == text


def test_pages_on_top_reach_the_glossary_too():
    assert linked("A gradient.", name="index.md") == "A [gradient](reference/glossary.md#gradient)."


def test_the_glossary_does_not_link_to_itself():
    assert linked("A gradient.", name=glossary.PAGE) == "A gradient."


def test_each_term_stands_once():
    assert len(TERMS) == len(set(TERMS))


@pytest.mark.parametrize("language", ["de", "fr", "ar"])
def test_an_entry_has_all_names(language):
    entry = glossary.fill("{{ term:gradient }}", page(language, glossary.PAGE), CONFIG)

    assert 'id="gradient"' in entry
    assert entry.count("<span lang=") == 3
    assert '<span lang="en" dir="ltr">gradient</span>' in entry
    assert ('dir="rtl"' in entry) == (language != "ar")


def test_an_unknown_term_is_an_error_with_its_place():
    with pytest.raises(PluginError, match=r"docs/terms\.csv has no 'gradiant'"):
        glossary.fill("{{ term:gradiant }}", page(name=glossary.PAGE), CONFIG)


@pytest.mark.parametrize("language", ["de", "fr", "ar"])
def test_translations_lead_to_the_glossary_as_often_as_the_english_pages(language):
    def links(language):
        pages = sorted((DOCS / language).rglob("*.md"))
        names = [path.relative_to(DOCS / language).as_posix() for path in pages]
        texts = [
            linked(path.read_text("utf-8"), language, name)
            for path, name in zip(pages, names, strict=True)
        ]
        return sum(text.count("glossary.md#") for text in texts)

    # Languages don't use the same terms in the same sentences, but nearly.
    assert links(language) == pytest.approx(links("en"), rel=0.2)
