"""What the reference pages say of the two operations, beside what their snippets print."""

import inspect
from pathlib import Path

import pytest
import tensorflow as tf

from gradvalve import tensorflow as valves
from gradvalve_site import snippets

SNIPPETS = Path(__file__).parents[2] / "docs" / "snippets"


def printed(name: str) -> dict:
    return snippets.values(SNIPPETS / name / "with_tensorflow.txt")


@pytest.mark.parametrize("name", ["stop_gradient", "scale_gradient"])
def test_printed_signatures_are_those_of_the_functions(name):
    lines = (SNIPPETS / "signatures" / "with_tensorflow.txt").read_text().splitlines()

    assert f"{name}{inspect.signature(getattr(valves, name))}" in lines


def test_stopped_factor_leaves_the_derivative_of_the_other():
    assert printed("constant") == {"value": f"{3.0**2}", "gradient": "3.0"}


def test_none_means_no_path_and_zero_a_path_of_derivative_zero():
    assert printed("none_or_zero") == {
        "stopped": "None",
        "stopped_as_zero": "0.0",
        "closed": "0.0",
        "flat": "0.0",
    }


def test_nests_keep_their_structure():
    values = printed("nested")

    assert values["kernel"] == f"{0.5 * 2 * 3.0}"
    assert values["bias"] == "0.5"
    assert values["step"] == "7"
    assert values["gradvalve"] == "[1.0, 2.0]"
    assert values["tf"].startswith("tf.Tensor([1. 2.]")


def test_each_further_derivative_is_scaled_again_and_a_stopped_factor_stays_constant():
    x, scale = 1.5, 0.5

    assert printed("higher_order") == {
        "scaled_first": f"{scale * 3 * x**2}",
        "scaled_second": f"{scale**2 * 6 * x}",
        "stopped_first": f"{x * 2 * x}",
        "stopped_second": f"{x * 2}",
    }


def test_tangents_are_scaled_and_a_stopped_value_has_none():
    assert printed("forward_mode") == {"scaled": f"{0.5 * 2 * 3.0}", "stopped": "None"}


def test_plain_custom_gradient_loses_its_rule_in_forward_mode():
    @tf.custom_gradient
    def halved(x):
        return tf.identity(x), lambda upstream: 0.5 * upstream

    x = tf.constant(3.0)
    with tf.autodiff.ForwardAccumulator(x, tf.constant(1.0)) as forward:
        y = halved(x) ** 2

    assert forward.jvp(y) == 2 * 3.0


def test_sparse_gradients_hold_only_the_rows_that_were_looked_up():
    assert printed("sparse") == {
        "type": "IndexedSlices",
        "rows": "[7, 42]",
        "values": "[[0.5, 0.5], [0.5, 0.5]]",
    }


def test_variable_scale_changes_without_a_new_trace():
    gradient = 2 * 3.0

    assert printed("schedule") == {
        "at_0.0": "0.0",
        "at_0.5": f"{0.5 * gradient}",
        "at_-1.0": f"{-gradient}",
        "traces": "1",
    }


def test_scale_of_each_entry_halves_and_reverses():
    assert printed("reversal") == {
        "value": f"{1.0**2 + 2.0**2}",
        "gradient": f"{[0.5 * 2 * 1.0, -1.0 * 2 * 2.0]}",
    }


def test_weight_decay_moves_a_weight_of_zero_gradient_but_none_without_gradient():
    assert printed("zero_moves") == {"zero": f"{1 - 0.1 * 0.5}", "none": "1.0"}


@pytest.mark.parametrize(
    ("mistake", "error"),
    [
        ("too_large", "ValueError"),
        ("text", "TypeError"),
        ("complex", "TypeError"),
        ("not_a_tensor", "TypeError"),
        ("symbolic", "TypeError"),
    ],
)
def test_mistakes_end_in_the_error_that_the_page_names(mistake, error):
    assert printed("errors")[mistake].startswith(f"{error}: ")


def test_engine_halves_what_flows_through_the_valve_at_each_order():
    values = snippets.values(SNIPPETS / "engine" / "with_python.txt")

    # z = x * y with y = x**2 behind a valve of 1/2: z' = y + x**2, and y' is halved again in z''
    assert values == {
        "value": f"{2.0**3}",
        "first": f"{2 * 2.0**2}",
        "first_at_3": f"{2 * 3.0**2}",
        "second": f"{3 * 2.0}",
        "stopped": "[None]",
        "reason": "x is hidden from stopped by stop",
    }
