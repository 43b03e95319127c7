"""Every colour of text can be read on every ground that text stands on, in light and dark."""

import re
from pathlib import Path

import pytest

PALETTE = Path(__file__).parents[2] / "docs/assets/stylesheets/palette.css"
# Of the rest, lines, charts and grounds are no text, and what is marked is inked.
TEXTS = r"--(gv-(?!paper|surface|tint|line|series)|md-code-hl-).*"
GROUNDS = r"--gv-(paper|surface|tint)"
INKED_GROUNDS = r"--md-typeset-mark-color"


def colours(css):
    """Return {name: (light, dark)} of all colours that a stylesheet defines."""
    found = re.findall(r"(--[\w-]+): light-dark\((#\w{6}), (#\w{6})\);", css)
    return {name: (light, dark) for name, light, dark in found}


def luminance(colour):
    """Return the relative luminance of a colour, as WCAG 2 defines it."""
    parts = [int(colour[i : i + 2], 16) / 255 for i in (1, 3, 5)]
    linear = [p / 12.92 if p <= 0.04045 else ((p + 0.055) / 1.055) ** 2.4 for p in parts]
    return sum(weight * p for weight, p in zip((0.2126, 0.7152, 0.0722), linear, strict=True))


def contrast(one, other):
    darker, lighter = sorted([luminance(one), luminance(other)])
    return (lighter + 0.05) / (darker + 0.05)


def illegible(palette):
    """Yield (text, ground, scheme, contrast) of all pairs below 4.5:1."""
    for text, of_text in palette.items():
        for ground, of_ground in palette.items():
            inked = text == "--gv-ink" and re.fullmatch(INKED_GROUNDS, ground)
            if not inked and not (re.fullmatch(TEXTS, text) and re.fullmatch(GROUNDS, ground)):
                continue
            for scheme, one, other in zip(("light", "dark"), of_text, of_ground, strict=True):
                if contrast(one, other) < 4.5:
                    yield text, ground, scheme, round(contrast(one, other), 2)


def test_all_texts_can_be_read_on_all_grounds():
    palette = colours(PALETTE.read_text("utf-8"))

    assert {"--gv-gradient", "--gv-forward", "--md-code-hl-string-color"} <= palette.keys()
    assert list(illegible(palette)) == []


def test_lines_of_charts_stand_out_from_the_paper():
    palette = colours(PALETTE.read_text("utf-8"))
    series = [palette[f"--gv-{name}"] for name in ("gradient", "series-2", "ink", "series-4")]

    for pair in series:
        assert min(map(contrast, pair, palette["--gv-paper"])) >= 3


@pytest.mark.parametrize(
    ("one", "other", "expected"),
    [("#000000", "#ffffff", 21), ("#777777", "#ffffff", 4.48), ("#ffffff", "#ffffff", 1)],
)
def test_contrast_is_that_of_the_standard(one, other, expected):
    assert contrast(one, other) == pytest.approx(expected, abs=0.005)


def test_grey_text_is_seen():
    css = "--gv-paper: light-dark(#ffffff, #000000);\n--gv-ink: light-dark(#777777, #777777);"

    assert list(illegible(colours(css))) == [("--gv-ink", "--gv-paper", "light", 4.48)]
