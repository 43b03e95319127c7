"""The page on the reference engine shows graph.py whole, in pieces that begin where code begins."""

import re
from pathlib import Path

ROOT = Path(__file__).parents[2]
LINES = (ROOT / "src/gradvalve/graph.py").read_text(encoding="utf-8").splitlines()
PAGE = (ROOT / "docs/en/reference/engine.md").read_text(encoding="utf-8")
PIECES = [
    range(int(first) - 1, int(last)) for first, last in re.findall(r"graph\.py:(\d+):(\d+)", PAGE)
]


def test_pieces_hold_each_line_of_the_file_once_and_in_order():
    shown = [LINES[i] for piece in PIECES for i in piece]

    assert [line for line in shown if line] == [line for line in LINES if line]


def test_pieces_begin_at_a_definition_after_an_empty_line():
    for piece in PIECES[1:]:
        assert LINES[piece.start - 1] == ""
        assert LINES[piece.start][0] not in " )"
