"""What counts as prose: the words for readers, and nothing else."""

from pathlib import Path

from hypothesis import given, settings
from hypothesis import strategies as st

from gradvalve_site.checks.page import FILLERS, parse

PAGE = """\
---
title: "A title: `x`"
description: What it says
hide: nothing
---

# A *heading* with `code` { #id .class }

Text, [a link](page.md#id "its title") and ![an image](a.svg){ width=5 title="of it" }: {{ a/b:c }}.

??? note "A label"

    ```python title="A program"
    # no heading
    - no item
    ```

    ````text
    ```
    not the end
    ```
    ````

| a cell | `x | y` |
| --- | :-: |

<!--
a comment --> <kbd title="a key">Enter</kbd> <i lang="en">foreign</i> $x$ scale_gradient(x, 2)
$$
\\frac12
$$
"""


def read(text):
    return parse(text, Path("page.md"), "en", "page.md")


def test_prose_is_what_readers_read():
    prose = read(PAGE).prose.translate({ord(filler): " " for filler in FILLERS})

    assert (
        prose.split()
        == (
            "A title: What it says A *heading* with Text, [a link its title and an image of it : . "
            "A label A program | a cell | | a key Enter"
        ).split()
    )


def test_blocks_are_found_in_order_and_not_inside_of_code():
    page = read(PAGE)

    assert [(page.line(block.start), block.kind) for block in page.blocks] == [
        (7, "heading of level 1 { #id }"),
        (9, "paragraph"),
        (11, "admonition"),
        (13, "fence"),
        (18, "fence"),
        (24, "row of 2 cells"),
        (25, "line below the head of a table"),
        (28, "paragraph"),
    ]


@settings(deadline=None, derandomize=True)
@given(st.text("ab*_`~$#|-<>[](){}!?=&;:\"'\\/.,1 \n\x85\u2028", max_size=60))
def test_each_position_in_the_prose_is_the_position_in_the_text(text):
    prose = read(text).prose

    assert len(prose) == len(text)
    assert all(a == b or (b in FILLERS and a != "\n") for a, b in zip(text, prose, strict=True))
