"""The same file gives the same results in MicroPython, which runs in Node.js as in a browser."""

import functools
import json
import math
import struct
import subprocess
import sys
from pathlib import Path

import pytest

import gradvalve.graph
from tests.graph.cases import TABLES, run
from tests.graph.comparing import same, same_signs

HERE = Path(__file__).parent
CASES = [(table, row) for table, (_, rows) in TABLES.items() for row in rows]
each_case = pytest.mark.parametrize(
    ("table", "row"), CASES, ids=[f"{table}: {row[0]}" for table, row in CASES]
)


def micropython(file, **modules):
    """Run a file in MicroPython, where these modules can be imported."""
    node = Path(sys.executable).with_name("node")  # the one that the project installs
    others = [f"{name.replace('_', '/')}.py={path}" for name, path in modules.items()]
    command = [node, HERE / "micropython.mjs", file, *others]
    return subprocess.run(command, capture_output=True, text=True)


@functools.cache
def results_in_micropython():
    """Return the results of all cases, by table and name."""
    done = micropython(
        HERE / "print_results.py",
        cases=HERE / "cases.py",
        gradvalve_graph=gradvalve.graph.__file__,
    )
    assert done.returncode == 0, done.stderr
    lines = [json.loads(line) for line in done.stdout.splitlines()]
    return {(table, name): [decoded(each) for each in results] for table, name, results in lines}


def decoded(result):
    """Undo what print_results.py does."""
    if isinstance(result, str):
        return struct.unpack(">d", bytes.fromhex(result))[0]
    return result[1]


@each_case
def test_micropython_agrees_with_cpython(table, row):
    expected = run(table, row)

    actual = results_in_micropython()[table, row[0]]

    assert same(actual, expected, relative=4.1e-16), f"{actual} instead of {expected}"
    numbers = [each for each in zip(actual, expected, strict=True) if isinstance(each[1], float)]
    assert same_signs(*zip(*numbers, strict=True)) if numbers else True


def test_results_that_differ_by_three_roundings_would_be_noticed():
    assert not same([1 + 3 * sys.float_info.epsilon], [1.0], relative=4.1e-16)
    assert not same([math.nan], [1.0], relative=4.1e-16)
    assert not same([None], [0.0], relative=4.1e-16)
    assert not same_signs([0.0], [-0.0])


def test_an_exception_in_micropython_would_be_noticed(tmp_path):
    file = tmp_path / "broken.py"
    file.write_text("from gradvalve.graph import exp\n\nexp(1, 2)\n")

    done = micropython(file, gradvalve_graph=gradvalve.graph.__file__)

    assert done.returncode == 1
    assert "TypeError: exp: expected 1 inputs, not 2" in done.stderr
