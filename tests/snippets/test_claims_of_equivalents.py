"""What the page on other libraries says in words; of Sonnet and Optax: operations/test_peers.py."""

import re
from pathlib import Path

import jax
import numpy as np
import pytest
import tensorflow as tf
import torch

from gradvalve_site import snippets
from tests.operations.comparing import assert_same_bits

DOCS = Path(__file__).parents[2] / "docs"
PAGE = (DOCS / "en" / "reference" / "equivalents.md").read_text(encoding="utf-8")
FOLDER = DOCS / "snippets" / "equivalents"
NODE = (FOLDER / "with_tensorflow_js.mjs").read_text(encoding="utf-8")


def test_each_program_gets_half_of_the_derivative_in_both_ways():
    records = [snippets.values(path) for path in FOLDER.glob("*.txt")]

    assert len(records) == 7
    assert [{k: float(v) for k, v in r.items()} for r in records] == 7 * [
        {"stopped": 3, "halved": 3}
    ]


def test_what_is_not_run_says_so():
    tabs = re.findall(r'=== "(.*?)"\n\n((?: {4}.*\n|\n)*)', PAGE)
    mark = "    Written from the documentation; our tests do not run it.\n"

    assert len(tabs) == len(re.findall(r"^\| .* \|$", PAGE, re.MULTILINE)) - 2  # rows of the table
    assert all(('--8<-- "equivalents/' in text) != text.startswith(mark) for _, text in tabs)


# TensorFlow, JAX, PyTorch


def test_tensorflow_refuses_a_dictionary():
    with pytest.raises(ValueError, match="dict"):
        tf.stop_gradient({"a": tf.ones(2)})


def test_tensorflow_says_none_where_no_path_is_left_and_jax_zero():
    x = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = tf.stop_gradient(x) ** 2

    assert tape.gradient(y, x) is None
    assert jax.grad(lambda x: jax.lax.stop_gradient(x) ** 2)(3.0) == 0


def test_detach_shares_memory():
    x = torch.ones(2, requires_grad=True)

    x.detach().zero_()

    assert x.tolist() == [0, 0]


# TensorFlow.js


def printed_by_node(tmp_path, code) -> dict:
    path = tmp_path / "with_tensorflow_js.mjs"
    path.write_text(code, encoding="utf-8")
    return snippets.parse(snippets.run(path), path)


def test_case_c61_tensorflow_js_has_neither_operation(tmp_path):
    code = """import * as tf from "@tensorflow/tfjs"
console.log("names:", ["stopGradient", "scaleGradient"].filter((name) => name in tf).length)
"""

    assert printed_by_node(tmp_path, code) == {"names": "0"}


def test_without_a_clone_the_gradient_is_too_large(tmp_path):
    values = printed_by_node(tmp_path, NODE.replace("tf.clone(x)", "x"))

    assert float(values["halved"]) > 3


def test_scale_made_inside_of_the_function_fails_and_one_from_outside_works(tmp_path):
    inside = NODE.replace("0.5))", "tf.scalar(0.5)))")
    outside = NODE.replace("0.5))", "half))").replace(
        "const", "const half = tf.scalar(0.5)\nconst", 1
    )

    assert printed_by_node(tmp_path, outside)["halved"] == "3"
    with pytest.raises(RuntimeError, match="TypeError"):
        printed_by_node(tmp_path, inside)


def test_zero_times_infinity_is_nan_in_tensorflow_js(tmp_path):
    code = NODE.replace("tf.square(scaleGradient(x, 0.5))", "tf.sqrt(scaleGradient(x, 0))")
    code = code.replace("halved(tf.scalar(3))", "halved(tf.scalar(0))")

    assert printed_by_node(tmp_path, code)["halved"] == "NaN"


# Java: the same sum in Python


def scaled_by_a_sum(x, scale):
    scaled = scale * x
    return tf.stop_gradient(x) + (scaled - tf.stop_gradient(scaled))


@pytest.mark.parametrize("mode", [lambda f: f, tf.function], ids=["eager", "graph"])
@pytest.mark.parametrize("scale", [0.5, 0.3, 0.0, -1.0])
def test_the_sum_of_the_java_snippet_keeps_ordinary_numbers(mode, scale):
    generator = np.random.default_rng(0)
    x = tf.constant([*generator.normal(size=10_000), 0.0, 1.2e-38, 3e38], tf.float32)

    y = mode(scaled_by_a_sum)(x, scale)

    np.testing.assert_array_equal(y, x)
    for lost in (np.float32([-0.0]), np.float32([1e-45])):
        assert_same_bits(mode(scaled_by_a_sum)(tf.constant(lost), scale).numpy(), np.zeros(1, "f4"))


def test_the_sum_scales_the_gradient_and_needs_a_finite_product():
    x = tf.Variable(3.0)
    with tf.GradientTape() as tape:
        y = scaled_by_a_sum(x, 0.5) ** 2

    assert tape.gradient(y, x) == 3
    assert np.isnan(scaled_by_a_sum(tf.constant(np.inf, tf.float32), 0.5))
    assert np.isnan(scaled_by_a_sum(tf.constant(3e38), 2.0))
