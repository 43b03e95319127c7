"""English words on pages of other languages."""

from pathlib import Path
from types import SimpleNamespace

import pytest

from gradvalve_site import foreign

CONFIG = SimpleNamespace(docs_dir=Path(__file__).parents[2] / "docs")


def marked(html, language):
    return foreign.mark(html, SimpleNamespace(file=SimpleNamespace(locale=language)), CONFIG)


@pytest.mark.parametrize(
    ("html", "expected"),
    [
        ("<p>خُطّاف (hook)</p>", '<p>خُطّاف (<span lang="en">hook</span>)</p>'),
        ("<p>أمامي (forward pass)،</p>", '<p>أمامي (<span lang="en">forward pass</span>)،</p>'),
        ("<p>مكتبة TensorFlow.js.</p>", '<p>مكتبة <span lang="en">TensorFlow.js</span>.</p>'),
        ('<a href="two words">x</a>', '<a href="two words">x</a>'),
        ("<p>A ثم w₁&nbsp;</p>", "<p>A ثم w₁&nbsp;</p>"),
        ('<code class="a">two words</code>', '<code class="a">two words</code>'),
        ('<cite lang="en">two words</cite>', '<cite lang="en">two words</cite>'),
        ("<math><mi>sin</mi></math>", "<math><mi>sin</mi></math>"),
    ],
)
def test_latin_words_on_arabic_pages_are_english(html, expected):
    assert marked(html, "ar") == expected


@pytest.mark.parametrize(
    ("language", "text", "english"),
    [
        ("de", "semi-gradient", True),
        ("de", "Gradient", False),
        ("de", "falsch", False),
        ("fr", "weight decay", True),
        ("fr", "gradient", False),
        ("fr", "exact", False),
        ("en", "semi-gradient", False),
    ],
)
def test_names_of_terms_in_italics_are_english(language, text, english):
    attribute = ' lang="en"' if english else ""

    assert marked(f"<em>{text}</em>", language) == f"<em{attribute}>{text}</em>"
