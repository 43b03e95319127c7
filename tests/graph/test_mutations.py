"""The tables of cases would notice a wrong rule: each change of a rule makes a row fail."""

import runpy
import sys
import types
from pathlib import Path

import pytest

import gradvalve.graph
from tests.graph.comparing import same

SOURCE = Path(gradvalve.graph.__file__).read_text()
CASES = Path(__file__).with_name("cases.py")
SLOW = {"10,000 nodes in a chain", "unroll"}  # and never the only one that fails


def failures(monkeypatch, source):
    """Return the names of the rows that fail with such an engine."""
    engine = types.ModuleType("gradvalve.graph")
    exec(compile(source, "graph.py", "exec"), engine.__dict__)
    monkeypatch.setitem(sys.modules, "gradvalve.graph", engine)
    cases = runpy.run_path(str(CASES))
    return [
        row[0]
        for table, (_, rows) in cases["TABLES"].items()
        for row in rows
        if row[0] not in SLOW and not succeeds(cases["run"], table, row)
    ]


def succeeds(run, table, row):
    try:
        return row[-1] is None or same(run(table, row), row[-1], relative=1e-13)
    except Exception:
        return False


def test_the_engine_as_it_is_makes_no_row_fail(monkeypatch):
    assert failures(monkeypatch, SOURCE) == []


@pytest.mark.parametrize(
    ("right", "wrong"),
    [
        (
            "lambda g, z, x, y: g * y,\n    lambda g, z, x, y: g * x)",
            "lambda g, z, x, y: g * x,\n    lambda g, z, x, y: g * x)",
        ),
        ("lambda g, z, x, y: -g)", "lambda g, z, x, y: g)"),
        ("lambda g, z, x, y: -(g * z / y))", "lambda g, z, x, y: g * z / y)"),
        ("x * math.copysign(math.inf, y)", "x * math.inf"),
        ("g * multiply_no_nan(x ** (y - 1), y)", "g * y * x ** (y - 1)"),
        ("g * multiply_no_nan(log(x), z)", "g * z * log(x)"),
        ("x if y % 2 == 1 else 1.0", "1.0"),
        ("math.inf if x > 709.782712893384 else math.exp(x)", "math.exp(x)"),
        ("math.nan if x else -math.inf", "-math.inf"),
        ("g * (1 - y * y)", "g * (1 + y * y)"),
        ("g * y * (1 - y)", "g * y"),
        ("multiply_no_nan(g, greater(x, 0))", "g * greater(x, 0)"),
        ("multiply_no_nan(g, greater(x, 0))", "multiply_no_nan(g, 1 - greater(0, x))"),
        ("equal(x, z) / (equal(x, z) + equal(y, z))", "equal(x, z)"),
        ("x if x > y or x != x else y", "max(x, y)"),
        ("equal(x, y) / reduce_sum(equal(x, y))", "equal(x, y)"),
        ("g / (x.shape[0] if x.shape else 1)", "g"),
        ("reduce(lambda x, y: x + y, x)", "math.fsum(x)"),
        ("multiply_no_nan(g, stop_gradient(scale))", "g * stop_gradient(scale)"),
        ("multiply_no_nan(g, stop_gradient(scale))", "multiply_no_nan(g, scale)"),
        ("lambda x, scale: x,", "lambda x, scale: x * scale + x * (1 - scale),"),
        (
            '"stop_gradient", lambda x: x, None)',
            '"stop_gradient", lambda x: x, lambda g, y, x: g * 0)',
        ),
        ("largest + log(", "reduce_max(x) + log("),
        ("return reduce_sum(gradient)", "return reduce_mean(gradient)"),
        ("totals[id(x)] + flow if", "flow if"),
        ("[::-1]", ""),
    ],
)
def test_a_wrong_rule_would_be_noticed(monkeypatch, right, wrong):
    assert right in SOURCE

    assert failures(monkeypatch, SOURCE.replace(right, wrong))
