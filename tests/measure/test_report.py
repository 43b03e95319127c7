"""The report goes by its limits; no test here measures anything."""

import pytest

from tests.measure.__main__ import Row, measure, report

PAIRS = [(3.0, 2.0), (2.2, 2.0), (2.5, 9.0)]  # the shortest times have the ratio 1.1


@pytest.mark.parametrize(("limit", "kept"), [(1.05, False), (1.2, True), (None, True)])
def test_a_ratio_over_its_limit_is_red_and_fails(capsys, limit, kept):
    rows = [Row("good", print, print, 1, 1.2), Row("judged", print, print, 1, limit)]

    assert report(rows, [PAIRS, PAIRS]) is kept

    *_, judged = capsys.readouterr().out.splitlines()
    assert "judged" in judged
    assert "1.10" in judged
    assert judged.startswith("\033[31m") is not kept


def test_every_program_is_timed_in_every_round():
    calls = []
    row = Row("", lambda: calls.append("program"), lambda: calls.append("reference"), 2)

    (pairs,) = measure([row], rounds=3)

    assert len(pairs) == 3
    assert calls.count("program") == calls.count("reference") == 1 + 2 * 3
