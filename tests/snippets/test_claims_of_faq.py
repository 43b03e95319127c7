"""What the page of frequent questions says in words, beside what its snippets print."""

import math
from pathlib import Path

import jax
import keras
import pytest
import tensorflow as tf
import torch

from gradvalve.keras import StopGradient
from gradvalve.tensorflow import scale_gradient
from gradvalve_site import snippets
from tests.operations.comparing import covers
from tests.snippets.test_page_claims import numbers

FOLDER = Path(__file__).parents[2] / "docs" / "snippets"


def gradients(loss, variables):
    with tf.GradientTape() as tape:
        value = loss()
    found = tape.gradient(value, variables)
    return [None if gradient is None else float(gradient) for gradient in found]


# Which branch


@covers("C97", "C98")
def test_the_discriminator_stops_what_the_generator_made_and_the_generator_stops_nothing():
    generator, discriminator = 1.0, 2.0

    assert numbers("faq_branch/with_tensorflow") == {
        "discriminator_step": 3 * generator,
        "reaches_generator": None,
        "generator_step": -discriminator * 3,
    }


@covers("C97", "C98")
def test_a_wrong_choice_shows_in_the_gradients_and_not_in_the_value():
    generator, discriminator = tf.Variable(1.0), tf.Variable(2.0)

    def fooled():
        return -discriminator * tf.stop_gradient(3 * generator)

    def judged():
        return discriminator * (3 * generator)

    assert (float(fooled()), float(judged())) == (-6, 6)
    assert gradients(fooled, [generator]) == [None]
    assert gradients(judged, [generator, discriminator]) == [6, 3]


# Keras


@pytest.mark.filterwarnings("ignore:__array__ impl:DeprecationWarning")  # Keras saves
def test_what_lies_below_the_loaded_layer_is_not_reached_and_stays_trainable(tmp_path):
    assert snippets.values(FOLDER / "faq_saved" / "with_keras.txt") == {
        "below": "None",
        "above": "(1, 1)",
    }

    dense = keras.layers.Dense(1, use_bias=False)
    model = keras.Sequential([keras.Input([3]), dense, StopGradient()])
    model.save(tmp_path / "model.keras")
    assert len(keras.saving.load_model(tmp_path / "model.keras").trainable_weights) == 1


@covers("C58")
def test_the_plain_operation_refuses_symbolic_tensors_in_the_words_of_the_page():
    words = "A KerasTensor cannot be used as input to a TensorFlow function"

    assert words in (FOLDER.parent / "en/reference/faq.md").read_text(encoding="utf-8")
    with pytest.raises(ValueError, match=words):
        tf.stop_gradient(keras.Input([1]))


# Frozen


@covers("C72", "C73")
def test_a_frozen_weight_passes_the_gradient_and_a_stop_cuts_off_what_lies_below_it():
    x, weight = 3.0, 2.0

    assert numbers("faq_frozen/with_tensorflow") == {
        "weight_frozen": [None, weight],
        "input_stopped": [x, None],
        "output_stopped": [None, None],
    }


@covers("C72")
def test_a_frozen_layer_of_keras_passes_the_gradient_too():
    layer = keras.layers.Dense(1, use_bias=False, kernel_initializer="ones")
    layer.trainable = False
    x = tf.Variable(3.0)

    assert gradients(lambda: tf.reduce_sum(layer(tf.reshape(x, [1, 1]))), [x]) == [1]


def test_a_weight_that_another_path_reaches_still_learns():
    weight = tf.Variable(2.0)

    assert gradients(lambda: tf.stop_gradient(weight) * weight, [weight]) == [2]


# Second derivatives


@covers("C37")
def test_the_short_rule_is_right_once_and_scales_the_second_derivative_too_little():
    printed = snippets.values(FOLDER / "faq_orders" / "with_jax.txt")
    x, scale = 1.5, 0.5

    assert float(printed["right_first"]) == float(printed["short_first"]) == scale * 3 * x**2
    assert float(printed["right_forward"]) == scale * 3 * x**2
    assert float(printed["right_second"]) == scale**2 * 6 * x
    assert float(printed["short_second"]) == scale * 6 * x
    assert "to a custom_vjp function" in printed["short_forward"]


# MuZero


@pytest.mark.parametrize("scaled", [True, False])
def test_the_two_scalings_keep_the_value_and_bring_the_gradient_below_two(scaled):
    steps, weight = 4, tf.Variable(1.0)

    def total():
        state, loss = tf.constant(0.0), tf.constant(0.0)
        for _ in range(steps):
            state = state + weight
            loss += scale_gradient(state, 1 / steps if scaled else 1)
            state = scale_gradient(state, 0.5 if scaled else 1)
        return loss

    printed = numbers("faq_unroll/with_tensorflow")
    assert float(total()) == printed["value"] == 1 + 2 + 3 + 4
    expected = printed["gradient"] if scaled else printed["value"]
    assert gradients(total, [weight]) == [expected]
    assert printed["gradient"] == 2 - 2 / steps * (1 - 2**-steps)


# A scale that changes


@covers("P14")
def test_a_compiled_function_does_not_see_that_a_global_number_changes():
    settings = {"scale": 0.5}
    x = tf.Variable(3.0)

    def gradient():
        with tf.GradientTape() as tape:
            y = scale_gradient(x, settings["scale"]) ** 2
        return tape.gradient(y, x)

    compiled = tf.function(gradient)
    before = float(compiled())
    settings["scale"] = 1.0
    assert before == float(compiled()) == 3
    assert float(gradient()) == 6


@covers("C50")
def test_a_traced_scale_among_nondiff_argnums_raises_and_as_an_argument_does_not():
    def slope(rule):
        return jax.jit(lambda scale: jax.grad(lambda x: rule(x, scale) ** 2)(3.0))(0.5)

    among_static = jax.custom_vjp(lambda x, _: x, nondiff_argnums=(1,))
    among_static.defvjp(lambda x, _: (x, None), lambda scale, _, g: (scale * g,))
    ordinary = jax.custom_vjp(lambda x, _: x)
    ordinary.defvjp(lambda x, scale: (x, scale), lambda scale, g: (scale * g, None))

    with pytest.raises(jax.errors.UnexpectedTracerError):
        slope(among_static)
    assert slope(ordinary) == 3


@covers("C54", "C55")
def test_the_scale_is_not_trained():
    x, scale = tf.Variable(3.0), tf.Variable(0.5)

    assert gradients(lambda: scale_gradient(x, scale) ** 2, [x, scale]) == [3, None]


# Reversal


@covers("C106", "C109")
def test_reversal_turns_the_encoder_and_subtracting_turns_the_classifier_too():
    printed = numbers("faq_reversal/with_tensorflow")

    encoder, classifier = printed["plain"]
    assert printed["reversed"] == [-encoder, classifier]
    assert printed["subtracted"] == [-encoder, -classifier]
    for progress in (0.1, 0.5):
        scale = 1 - 2 / (1 + math.exp(-10 * progress))
        assert printed[f"scale_at_{progress}"] == pytest.approx(scale, abs=5e-4)


def test_the_schedule_begins_at_zero_and_ends_near_minus_one():
    begin, end = (1 - 2 / (1 + math.exp(-10 * progress)) for progress in (0, 1))

    assert begin == 0
    assert -1 < end < -0.999


def test_a_minus_before_the_loss_and_a_negative_scale_cancel_for_the_encoder():
    encoder, classifier = tf.Variable(3.0), tf.Variable(2.0)

    def loss():
        return -(classifier * scale_gradient(encoder, -1.0))

    assert gradients(loss, [encoder, classifier]) == [2, -3]


# Hooks


@covers("C89")
def test_a_hook_halves_what_both_readers_send_back_and_counts_each_time():
    head, next_step = 2, 4

    assert numbers("faq_hook/with_torch") == {
        "operation": head + next_step / 2,
        "hook": (head + next_step) / 2,
        "registered_twice": (head + next_step) / 4,
    }


@covers("C89")
def test_a_removed_hook_on_a_parameter_does_not_pile_up():
    weight = torch.nn.Parameter(torch.tensor(1.0))
    for _ in range(3):
        weight.grad = None
        handle = weight.register_hook(lambda gradient: 0.5 * gradient)
        (weight * 8).backward()
        handle.remove()
        assert weight.grad == 4


@covers("C86")
def test_a_number_is_accepted_as_a_hook_and_fails_in_backward():
    x = torch.tensor(3.0, requires_grad=True)
    x.register_hook(0.5)

    with pytest.raises(TypeError, match="not callable"):
        (2 * x).backward()


# NaN


@covers("C30")
def test_a_masked_input_keeps_the_gradient_that_a_stop_removes():
    masked_input = snippets.values(FOLDER / "nan/with_tensorflow.txt")["masked_input"]
    masked_output = snippets.values(FOLDER / "nan/with_tensorflow.txt")["masked_output"]
    x = tf.Variable([0.0, 2.0])
    with tf.GradientTape() as tape:
        y = tf.where(x > 0, tf.stop_gradient(tf.math.log(x)), 0.0)

    assert (masked_input, masked_output) == ("[0.0, 0.5]", "[nan, 0.5]")
    assert tape.gradient(y, x) is None


# detach, no_grad, requires_grad, .data


@covers("C73", "C114")
def test_each_of_the_four_does_what_the_page_says():
    printed = snippets.values(FOLDER / "faq_detach" / "with_torch.txt")

    assert printed.pop("detach_edited").endswith("has been modified by an inplace operation")
    assert printed == {
        "detach": "3.0",
        "requires_grad_False": "2.0",
        "no_grad": "False",
        "data": "0.0",
    }


@covers("C114")
@pytest.mark.parametrize("name", ["detach", "data"])
def test_results_share_the_memory_of_the_tensor_and_a_clone_does_not(name):
    x = torch.tensor(3.0, requires_grad=True)
    y = torch.exp(x)
    result = y.detach() if name == "detach" else y.data

    assert result.data_ptr() == y.data_ptr()
    result.clone().zero_()
    y.backward()
    assert x.grad == pytest.approx(math.exp(3))


def test_the_counterparts_in_tensorflow_do_the_same():
    x, frozen = tf.Variable(3.0), tf.Variable(2.0, trainable=False)

    def one_use():
        return x * tf.stop_gradient(x)

    assert gradients(one_use, [x]) == [3]
    assert gradients(lambda: frozen * x, [frozen, x]) == [None, 2]
    with tf.GradientTape() as tape, tape.stop_recording():
        square = x * x
    assert tape.gradient(square, x) is None
