"""What the page on None says in words, beside what its snippets print."""

import re
from pathlib import Path

import jax
import keras
import pytest
import tensorflow as tf
import torch

from gradvalve.explain import explain_gradient
from tests.operations.comparing import covers

DOCS = Path(__file__).parents[2] / "docs"


@pytest.fixture
def variables():
    return [keras.Variable(1.0, name="a"), keras.Variable(1.0, name="b")]


def test_the_three_lines_at_the_top_are_those_that_print_the_cause():
    page = (DOCS / "en/howto/none.md").read_text(encoding="utf-8")
    snippet = (DOCS / "snippets/none/with_tensorflow.py").read_text(encoding="utf-8").splitlines()

    first, last = re.findall(r'"none/with_tensorflow.py:(\d+):\d+"', page)
    assert snippet[int(first) - 1] == "from gradvalve.explain import explain_gradient"
    assert snippet[int(last) - 1] == "print(explain_gradient(loss, 3.0))"


@covers("C02")
def test_an_optimizer_leaves_alone_what_has_none_and_warns(variables):
    a, b = variables
    optimizer = keras.optimizers.Adam(0.1, weight_decay=0.1)

    with pytest.warns(UserWarning, match="Gradients do not exist for variables"):
        optimizer.apply([tf.constant(1.0), None], variables)
    assert (float(a) < 1, float(b)) == (True, 1.0)


@covers("C02")
def test_an_optimizer_refuses_when_all_are_none(variables):
    with pytest.raises(ValueError, match="No gradients provided for any variable"):
        keras.optimizers.Adam().apply([None, None], variables)


@pytest.mark.parametrize("reason", ["weight decay", "momentum"])
def test_a_variable_whose_gradient_is_zero_is_moved_all_the_same(variables, reason):
    decay = 0.1 if reason == "weight decay" else None
    optimizer = keras.optimizers.Adam(0.1, weight_decay=decay)
    _, b = variables
    if reason == "momentum":
        optimizer.apply([tf.constant(1.0), tf.constant(1.0)], variables)
    before = float(b)

    optimizer.apply([tf.constant(1.0), tf.constant(0.0)], variables)
    assert float(b) < before


@covers("C03")
@pytest.mark.parametrize("place", ["loop", "branch"])
def test_what_is_stopped_in_a_compiled_loop_or_branch_has_the_gradient_zero(place):
    def loss(x):
        if place == "loop":
            y = x
            for _ in tf.range(2):
                y = tf.stop_gradient(y)
            return y
        return tf.cond(x > 9, lambda: x, lambda: tf.stop_gradient(x))

    @tf.function
    def gradient(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = loss(x)
        return tape.gradient(y, x)

    assert gradient(tf.constant(2.0)) == 0


@covers("C06")
def test_inside_a_compiled_loop_a_tape_sees_only_what_the_body_computes():
    asked = []
    note = tf.autograph.experimental.do_not_convert(asked.append)

    @tf.function
    def asked_outside(x):
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            y = x**2
        for _ in tf.range(1):
            note(tape.gradient(y, x))
            y = y + 1
        return y

    @tf.function
    def in_body(x):
        slope = tf.zeros_like(x)
        for _ in tf.range(1):
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = x**2
            slope = tape.gradient(y, x)
        return slope

    asked_outside(tf.constant(3.0))
    assert asked == [None]
    assert in_body(tf.constant(3.0)) == 6


def test_reached_says_nothing_about_the_tape():
    x = tf.constant(3.0)
    with tf.GradientTape() as tape:
        y = x**2

    assert tape.gradient(y, x) is None
    assert [row.status for row in explain_gradient(lambda x: x**2, x)] == ["reached"]


@covers("C05")
def test_pytorch_refuses_without_allow_unused():
    x, w = (torch.tensor(value, requires_grad=True) for value in (2.0, 3.0))
    loss = w * x.detach()

    with pytest.raises(RuntimeError, match="appears to not have been used in the graph"):
        torch.autograd.grad(loss, [w, x], retain_graph=True)
    loss.backward()
    assert x.grad is None


@covers("C15")
def test_in_jax_a_number_made_of_x_is_a_constant_and_refused_in_a_compiled_function():
    gradient = jax.grad(lambda x: x * float(int(x)))

    assert gradient(2.7) == 2
    with pytest.raises(jax.errors.ConcretizationTypeError):
        jax.jit(gradient)(2.7)


def test_round_has_the_gradient_zero_in_pytorch_and_jax():
    x = torch.tensor(2.3, requires_grad=True)
    torch.round(x).backward()

    assert x.grad == 0
    assert jax.grad(jax.numpy.round)(2.3) == 0


def test_softmax_is_open_where_argmax_is_closed():
    def soft(x):
        return tf.reduce_sum(tf.nn.softmax(x) * [4.0, 5.0])

    def hard(x):
        return tf.gather([4.0, 5.0], tf.argmax(x))

    scores = tf.constant([1.0, 2.0])
    assert explain_gradient(soft, scores)[0].status == "reached"
    assert explain_gradient(hard, scores)[0].status == "hidden"
