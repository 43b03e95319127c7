"""Formulas become MathML while the site is built."""

from types import SimpleNamespace

import markdown
import pytest
from bs4 import BeautifulSoup

from gradvalve_site import mathematics


@pytest.fixture
def convert(tmp_path):
    """A function that turns Markdown into HTML, as the build does."""

    def converted(text):
        source = tmp_path / "page.md"
        source.write_text(f"---\ntitle: Page\n---\n\n{text}", encoding="utf-8")
        page = SimpleNamespace(file=SimpleNamespace(src_uri="page.md", abs_src_path=source))
        settings = {"pymdownx.arithmatex": {"generic": True}}
        content = markdown.markdown(
            text, extensions=["tables", *settings], extension_configs=settings
        )
        return BeautifulSoup(mathematics.to_mathml(content, page), "lxml")

    yield converted
    mathematics.stop()


def test_formulas_in_lines_and_between_lines(convert):
    html = convert("Text $(1-s)$ text.\n\n$$\nx < 2\n$$\n\n| a |\n| - |\n| $-0.5$ |\n")

    assert [math.get("display") for math in html.find_all("math")] == [None, "block", None]
    for annotation in html.find_all("annotation"):
        annotation.extract()
    assert [math.get_text() for math in html.find_all("math")] == ["(1−s)", "x<2", "−0.5"]


def test_formulas_have_no_styles_of_their_own(convert):
    html = convert("$\\tfrac12$\n\n$$\n\\delta_k = g\\left(1 + \\dots\\right)\n$$\n")

    assert not html.find_all(style=True)


@pytest.mark.parametrize(
    ("tex", "text"),
    [
        ("3^2", "3^2"),
        (r"\tfrac1K", "1/K"),
        (r"s = \tfrac3{10}", "s = 3/10"),
        (r"\delta_k", "δ_k"),
        (r"1 + \tfrac12 + \dots < 2", "1 + 1/2 + … < 2"),
        (r"2 - \tfrac2K\left(1 - 2^{-K}\right)", "2 - 2/K(1 - 2^-K)"),
        (r"0 \cdot \infty", "0 · ∞"),
    ],
)
def test_excerpts_get_a_formula_as_text_isolated_from_arabic(convert, tex, text):
    assert convert(f"${tex}$").annotation.string == f"\u2066{text}\u2069"


def test_one_process_converts_all_pages(convert):
    convert("$x$")
    first = mathematics.converter().pid
    convert("$y$")

    assert mathematics.converter().pid == first


@pytest.mark.parametrize("formula", [r"\frac{1}", r"\nosuchcommand", r"x^1^2"])
def test_errors_name_file_line_and_formula(convert, formula):
    with pytest.raises(Exception, match=r"docs/page\.md:7: formula ") as caught:
        convert(f"First line.\n\nText ${formula}$ text.")
    assert formula in str(caught.value)


def test_text_with_dollars_is_no_formula(convert):
    assert not convert("It costs \\$5 or $6, not more.").find("math")
