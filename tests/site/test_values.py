"""Numbers of recorded outputs in pages."""

from types import SimpleNamespace

import pytest

from gradvalve_site import values

RECORD = """\
half: 0.5
minus: -0.25
count: 12345
tiny: 1e-07
list: [0.5, 1.0]
A line without a value
"""


@pytest.fixture
def filled(tmp_path):
    """A function that fills a text in a language."""
    record = tmp_path / "snippets/topic/with_python.txt"
    record.parent.mkdir(parents=True)
    record.write_text(RECORD, encoding="utf-8")

    def fill(text, language="en"):
        source = tmp_path / "page.md"
        source.write_text(f"---\ntitle: Page\n---\n\n{text}", encoding="utf-8")
        file = SimpleNamespace(locale=language, src_uri="page.md", abs_src_path=source)
        return values.fill(text, SimpleNamespace(file=file), SimpleNamespace(docs_dir=tmp_path))

    return fill


@pytest.mark.parametrize(
    ("placeholder", "language", "expected"),
    [
        ("{{ topic/with_python:half }}", "en", "0.5"),
        ("{{ topic/with_python:half }}", "de", "0,5"),
        ("{{ topic/with_python:half }}", "fr", "0,5"),
        ("{{ topic/with_python:half }}", "ar", "0.5"),
        ("{{topic/with_python:half}}", "de", "0,5"),
        ("{{ topic/with_python:half | .2f }}", "de", "0,50"),
        ("{{ topic/with_python:count | , }}", "en", "12,345"),
        ("{{ topic/with_python:count | , }}", "de", "12\u202f345"),
        ("{{ topic/with_python:count | .1f }}", "fr", "12345,0"),
        ("{{ topic/with_python:minus }}", "en", "\u22120.25"),
        ("{{ topic/with_python:minus }}", "de", "\u22120,25"),
        ("{{ topic/with_python:minus }}", "ar", '<bdi dir="ltr">\u22120.25</bdi>'),
        ("{{ topic/with_python:tiny }}", "ar", '<bdi dir="ltr">1e\u221207</bdi>'),
        ("{{ topic/with_python:list }}", "de", "[0.5, 1.0]"),
    ],
)
def test_prose_shows_numbers_as_its_language_writes_them(filled, placeholder, language, expected):
    assert filled(f"Text {placeholder}.", language) == f"Text {expected}."


@pytest.mark.parametrize(
    "text",
    [
        "`{}`",
        "``a ` {}``",
        "$x = {}$",
        "$$\nx = {}\n$$",
        "| `{}` | $ {} $ |",
    ],
)
def test_code_and_formulas_show_numbers_as_printed(filled, text):
    placeholder = "{{ topic/with_python:minus }}"

    filled_text = filled(text.replace("{}", placeholder), "de")

    assert filled_text == text.replace("{}", "-0.25")


@pytest.mark.parametrize(
    "text",
    [
        "```python\n{{ topic/with_python:half }}\n```",
        "~~~\n{{ anything }}\n~~~",
        "- item\n\n    ```text\n    {{ anything }}\n    ```",
        "````\n```\n{{ anything }}\n````",
        "`{{ anything }}`",
        r"$\frac{{a}}{{b}}$",
    ],
)
def test_fences_and_other_braces_stay_as_they_are(filled, text):
    assert filled(text, "de") == text


def test_text_after_code_is_prose_again(filled):
    text = "`a` {{ topic/with_python:half }}\n\n```\ncode\n```\n\n{{ topic/with_python:half }}"

    expected = "`a` 0,5\n\n```\ncode\n```\n\n0,5"

    assert filled(text, "de") == expected


@pytest.mark.parametrize(
    ("placeholder", "reason"),
    [
        ("{{ topic/with_python:other }}", "has no 'other'; its keys: half, minus"),
        ("{{ topic/with_jax:half }}", "docs/snippets/topic/with_jax.txt does not exist"),
        ("{{ topic/with_python:list | .2f }}", "could not convert string to float"),
        ("{{ topic/with_python:half | .2q }}", "Unknown format code 'q'"),
        ("{{ half }}", "write {{ topic/with_framework:key }}"),
    ],
)
def test_errors_name_file_line_and_reason(filled, placeholder, reason):
    with pytest.raises(Exception, match=r"docs/page\.md:7: ") as caught:
        filled(f"First line.\n\n{placeholder}")
    assert reason in str(caught.value)
