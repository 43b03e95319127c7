"""What the page on NaN says in words, beside what its snippets print."""

import math

import jax
import jax.numpy as jnp
import pytest
import tensorflow as tf
import torch

from gradvalve.tensorflow import scale_gradient
from gradvalve_site import snippets
from tests.operations.comparing import covers
from tests.snippets.test_page_claims import SNIPPETS


def printed(name):
    """Lists with nan in them are no literals of Python."""
    recorded = snippets.values(SNIPPETS / f"{name}.txt")
    return {key: eval(text, {"nan": math.nan}) for key, text in recorded.items()}


@pytest.fixture
def x():
    return tf.constant([0.0, 2.0])


def masked(x, function):
    return tf.where(x > 0, function(x), 0.0)


def slope(function, x):
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = function(x)
    return tape.gradient(y, x).numpy().tolist()


@covers("C30")
@pytest.mark.parametrize("framework", ["tensorflow", "jax", "torch"])
def test_a_masked_input_keeps_the_gradient_and_a_masked_output_does_not(framework):
    found = printed(f"nan/with_{framework}")

    assert found["masked_input"] == [0, 1 / 2]
    assert math.isnan(found["masked_output"][0])
    assert found["masked_output"][1] == 1 / 2


@covers("C30")
def test_the_value_is_right_in_both_versions_and_without_the_outer_where(x):
    def safe_log(x):
        return tf.math.log(tf.where(x > 0, x, 1.0))

    right = [0, pytest.approx(math.log(2))]

    assert masked(x, tf.math.log).numpy().tolist() == right
    assert masked(x, safe_log).numpy().tolist() == right
    assert safe_log(x).numpy().tolist() == right
    assert slope(safe_log, x) == [0, 0.5]
    assert tf.math.log(x)[0] == -math.inf


def test_a_stop_or_a_scale_of_zero_removes_the_wanted_gradient_too():
    found = printed("nan_stop/with_tensorflow")

    assert found["masked_input"] == [0, 0.5]
    assert found["stopped_input"] is found["stopped_output"] is None
    assert found["scaled_input"] == [0, 0]
    assert math.isnan(found["scaled_output"][0])
    assert found["scaled_output"][1] == 0
    assert str(found["not_stopped"]) == "[nan, 0.5]"


@pytest.mark.parametrize("arrives", [math.inf, -math.inf, math.nan])
def test_a_scale_of_zero_gives_zero_whatever_arrives(arrives):
    def function(x):
        return scale_gradient(x, 0.0) * arrives

    assert slope(function, tf.constant(1.0)) == 0


@pytest.mark.parametrize("scale", [0.5, 1.0, -1.0, 1e-8])
def test_any_other_scale_keeps_the_nan(scale, x):
    at_input = slope(lambda x: masked(x, lambda x: tf.math.log(scale_gradient(x, scale))), x)
    at_output = slope(lambda x: masked(x, lambda x: scale_gradient(tf.math.log(x), scale)), x)

    assert math.isnan(at_input[0])
    assert math.isnan(at_output[0])


@covers("C32", "C33")
def test_an_overflow_and_a_division_are_mended_in_the_same_way():
    found = printed("nan_cases/with_tensorflow")

    assert math.isnan(found["overflow"])
    assert found["overflow_masked"] == 1
    assert str(found["division"]) == "[nan, 1.0]"
    assert found["division_masked"] == found["division_no_nan"] == [0, 1]


@pytest.mark.parametrize(("compiled", "is_nan"), [(False, False), (True, True)])
def test_tensorflow_avoids_the_nan_of_a_root_at_zero_but_not_under_xla(compiled, is_nan, x):
    @tf.function(jit_compile=compiled)
    def gradient(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = masked(x, tf.sqrt)
        return tape.gradient(y, x)

    assert math.isnan(gradient(x)[0]) is is_nan


def test_a_root_at_zero_does_it_in_jax_and_pytorch():
    in_jax = jax.grad(lambda x: jnp.where(x > 0, jnp.sqrt(x), 0.0))(0.0)
    in_torch = torch.func.grad(lambda x: torch.where(x > 0, x.sqrt(), 0.0))(torch.tensor(0.0))

    assert math.isnan(in_jax)
    assert math.isnan(in_torch)


@pytest.fixture
def check_numerics():
    tf.debugging.enable_check_numerics()
    yield
    tf.debugging.disable_check_numerics()


@pytest.mark.usefixtures("check_numerics")
def test_tensorflow_names_the_logarithm_when_the_value_is_computed(x):
    with pytest.raises(tf.errors.InvalidArgumentError, match='op "Log"'):
        masked(x, tf.math.log)


def test_jax_names_the_division():
    def function(x):
        return jnp.where(x > 0, jnp.log(x), 0.0).sum()

    with (
        jax.debug_nans(True),
        pytest.raises(FloatingPointError, match=r"invalid value \(nan\) encountered in div"),
    ):
        jax.grad(function)(jnp.array([0.0, 2.0]))


def test_pytorch_names_the_logarithm_and_its_line():
    x = torch.tensor([0.0, 2.0], requires_grad=True)

    with (
        torch.autograd.set_detect_anomaly(True),
        pytest.warns(UserWarning, match=r"(?s)Error detected in LogBackward0.*x\.log\(\)"),
        pytest.raises(RuntimeError, match="'LogBackward0' returned nan"),
    ):
        torch.where(x > 0, x.log(), 0.0).sum().backward()
