"""The engine keeps the promises that are listed in cases.py: here in CPython."""

import pytest

from tests.graph.cases import TABLES, run
from tests.graph.comparing import same, same_signs


def rows_of(table):
    """Run a test with each row of a table."""
    _, rows = TABLES[table]
    names = [row[0] for row in rows]
    assert len(set(names)) == len(names)
    return pytest.mark.parametrize("row", rows, ids=names)


def check(table, row):
    actual, expected = run(table, row), row[-1]
    assert same(actual, expected, relative=1e-13), f"{actual} instead of {expected}"


@rows_of("FIRST_DERIVATIVES")
def test_values_and_gradients_follow_their_formulas(row):
    check("FIRST_DERIVATIVES", row)


@rows_of("SECOND_DERIVATIVES")
def test_gradients_of_gradients_follow_their_formulas(row):
    check("SECOND_DERIVATIVES", row)


@rows_of("VALVES_FIRST")
def test_valves_stop_and_scale(row):
    check("VALVES_FIRST", row)


@rows_of("VALVES_SECOND")
def test_valves_stop_and_scale_at_every_order(row):
    check("VALVES_SECOND", row)


@rows_of("SPECIAL_VALUES")
def test_values_follow_ieee_754_where_python_raises(row):
    check("SPECIAL_VALUES", row)
    assert same_signs(run("SPECIAL_VALUES", row), row[-1])


@rows_of("SPECIAL_GRADIENTS")
def test_gradients_follow_ieee_754_where_python_raises(row):
    check("SPECIAL_GRADIENTS", row)


@rows_of("REASONS")
def test_why_none_names_what_hides(row):
    check("REASONS", row)


@rows_of("TRACES")
def test_trace_shows_what_the_search_comes_to_and_what_is_hidden(row):
    check("TRACES", row)


@rows_of("ERRORS")
def test_errors_name_the_node_and_what_was_expected(row):
    check("ERRORS", row)
