"""Runs examples in CPython and MicroPython, and compares what they give."""

import json
import math
import re
import subprocess
import sys
from pathlib import Path

import pytest

from gradvalve import live

HERE = Path(__file__).parent
ROOT = HERE.parents[1]
NUMBER = re.compile(r"(-?\d+\.\d+(?:e[-+]?\d+)?)")


@pytest.fixture(scope="session")
def micropython():
    """Return the function that runs an example in MicroPython, as `live.run` does in CPython."""
    node = Path(sys.executable).with_name("node")  # the one that the project installs
    command = [node, HERE / "interpreter.mjs", Path(live.__file__).parent]
    with subprocess.Popen(
        command, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True, encoding="utf-8"
    ) as process:

        def run(*request):
            process.stdin.write(json.dumps(request) + "\n")
            process.stdin.flush()
            return json.loads(process.stdout.readline())

        yield run
        process.stdin.close()


@pytest.fixture
def run(micropython):
    """Return the function that runs an example in both interpreters, which have to agree."""

    def run(source, settings=None, *, labels=None, words=None, decimal="."):
        texts = {"labels": labels, "words": words or {}, "decimal": decimal, "direction": "ltr"}
        result = live.run(source, settings or {}, texts)
        other = micropython(source, settings or {}, texts)
        assert agree(result, other), f"{other} instead of {result}"
        for tree in result["controls"] + result["output"]:
            assert forbidden(tree) == []
        return result

    return run


def agree(a, b):
    """Tell whether two results are the same, numbers in their texts up to 1e-12."""
    if isinstance(a, dict):
        return a.keys() == b.keys() and all(agree(a[key], b[key]) for key in a)
    if isinstance(a, list):
        return len(a) == len(b) and all(map(agree, a, b))
    if not isinstance(a, str) or not isinstance(b, str):
        return a is b is None
    a, b = NUMBER.split(a), NUMBER.split(b)
    return (
        len(a) == len(b)
        and a[::2] == b[::2]
        and all(
            math.isclose(float(x), float(y), rel_tol=1e-12)
            for x, y in zip(a[1::2], b[1::2], strict=True)
        )
    )


def allowed():
    """Return the names of tags, of SVG's tags and of attributes that the browser's side knows."""
    script = (ROOT / "docs/assets/javascripts/live/tree.js").read_text(encoding="utf-8")
    lists = re.findall(r'new Set\(([^]]*?)\.split\(" "\)', script)
    html, svg, attributes = [" ".join(re.findall('"([^"]*)"', each)).split() for each in lists]
    return {*html, *svg}, set(attributes)


TAGS, ATTRIBUTES = allowed()


def forbidden(tree):
    """Return what in a tree the browser's side would refuse."""
    if isinstance(tree, str):
        return []
    tag, attributes, children = tree
    wrong = [] if tag in TAGS else [tag]
    wrong += [
        key for key, value in attributes.items() if not (key in ATTRIBUTES and type(value) is str)
    ]
    return wrong + [each for child in children for each in forbidden(child)]


def find(tree, kind):
    """Return the parts of a tree, or of a list of trees, that have this tag or class."""
    if isinstance(tree, str):
        return []
    if not isinstance(tree[1:2] and tree[1], dict):
        return [part for each in tree for part in find(each, kind)]
    own = [tree] if kind in [tree[0], *tree[1].get("class", "").split()] else []
    return own + [part for child in tree[2] for part in find(child, kind)]


def text_of(tree):
    """Return all text in a tree, or in a list of trees."""
    if isinstance(tree, str):
        return tree
    children = tree[2] if isinstance(tree[1:2] and tree[1], dict) else tree
    return "".join(map(text_of, children))
