"""What the page says about adversarial examples: each such sentence is a test."""

import re
from functools import partial

import jax
import jax.numpy as jnp
import numpy as np
import pytest
import tensorflow as tf
import torch

number = float
W, X = (3.0, 4.0), (0.0, 1.0)  # of the example that is checked by hand
KINDS = ["relu", "tanh"]


def vector(text):
    return [float(part) for part in text.strip("[]").split()]


def gaps(printed, name):
    """The smallest and the largest of the seeds, in points from one step to ten."""
    return [number(printed[f"{name}, {which} gap"]) for which in ("smallest", "largest")]


@pytest.fixture(scope="module")
def names(notebook):
    """The definitions of the notebook, without its training and its figures."""
    defined = {}
    for cell in ("setup", "attacks", "right", "digits"):
        exec(notebook.cells[cell].code, defined)
    training, _, _ = notebook.cells["train"].code.partition("runs = {")
    exec(training, defined)
    return defined


@pytest.fixture(scope="module")
def gradients(names):
    """A function: new networks' gradients, with the stop and without."""

    def both(attack, kind="relu", dtype="float64", **compiled):
        weights = [tf.cast(weight, dtype) for weight in names["fresh"]()]
        networks = names["Networks"](getattr(tf.nn, kind), weights)
        x, labels = names["batch"](names["TRAIN"][:20])

        def gradient(x, stop):
            return names["weight_gradient"](networks, x, labels, attack, stop)

        if compiled:
            gradient = tf.function(gradient, autograph=False, **compiled)
        return [[g.numpy() for g in gradient(tf.cast(x, dtype), stop)] for stop in (True, False)]

    return both


def same_bits(arrays, others):
    return all(a.tobytes() == b.tobytes() for a, b in zip(arrays, others, strict=True))


def test_by_hand_the_stopped_gradient_of_the_l2_step(printed):
    w, x = np.array(W), np.array(X)
    slope = np.array([w[0], w[1] * x[1]])
    reached = x + slope / np.linalg.norm(slope)

    assert reached == pytest.approx([0.6, 1.8])
    by_hand = [reached[0], reached[1] ** 2 / 2]
    assert by_hand == pytest.approx([0.6, 1.62])
    assert vector(printed["L2, stopped"]) == pytest.approx(by_hand)


def test_by_hand_the_gradient_without_the_stop_has_a_part_from_the_step(printed):
    direction = np.array([0.6, 0.8])
    there = np.array([3, 4 * 1.8])  # the slope of the loss where the step leads
    through = (there - direction * (direction @ there)) / 5

    expected = np.array([0.6, 1.62]) + through

    assert vector(printed["L2, not stopped"]) == pytest.approx(expected, abs=1e-4)


@pytest.mark.parametrize("name", ["sign", "L2, 30 steps"])
def test_exact_all_three_agree(printed, name):
    stopped, full, differences = (
        vector(printed[f"{name}, {way}"]) for way in ("stopped", "not stopped", "differences")
    )

    assert stopped == full == differences


def test_deliberate_only_the_gradient_without_the_stop_agrees_with_the_differences(printed):
    assert printed["L2, not stopped"] == printed["L2, differences"] != printed["L2, stopped"]


def test_wrong_half_a_stop_agrees_with_neither(printed):
    half = printed["half stopped, not stopped"]

    assert half not in (printed["half stopped, differences"], printed["half stopped, stopped"])


def test_thirty_steps_reach_the_maximum_on_the_circle(printed):
    angles = np.linspace(0, 2 * np.pi, 10**6)
    x1, x2 = np.cos(angles), 1 + np.sin(angles)
    best = np.argmax(W[0] * x1 + W[1] * x2**2 / 2)

    # The grid is 6e-6 wide, and four places are printed.
    assert vector(printed["L2, 30 steps, stopped"]) == pytest.approx(
        [x1[best], x2[best] ** 2 / 2], abs=1e-4
    )


@pytest.mark.parametrize("kind", KINDS)
@pytest.mark.parametrize("dtype", ["float16", "bfloat16", "float32", "float64"])
@pytest.mark.parametrize("attack", ["fgsm", "pgd"])
def test_for_the_sign_the_stop_changes_no_bit_in_any_type(names, gradients, attack, dtype, kind):
    attack = partial(names[attack], eps=tf.constant(0.1, dtype))

    assert same_bits(*gradients(attack, kind, dtype))


@pytest.mark.parametrize("attack", ["fgsm", "pgd"])
def test_nor_in_a_traced_function(names, gradients, attack):
    assert same_bits(*gradients(partial(names[attack], eps=0.1), jit_compile=False))


@pytest.mark.parametrize("kind", KINDS)
def test_for_the_l2_step_it_does(names, gradients, kind):
    assert not same_bits(*gradients(partial(names["l2_step"], eps=0.4), kind))


def test_the_first_figure_shows_it_on_trained_networks(printed, lines):
    drawn = lines("magnitudes")

    assert printed["sign, same bits"] == "True"
    assert drawn["sign, stopped"] == drawn["sign, not stopped"]
    stopped, full = drawn["L2, stopped"], drawn["L2, not stopped"]
    assert all(full[length] > stopped[length] for length in stopped)
    assert number(printed["L2, not stopped by stopped"]) == pytest.approx(
        full[0.8] / stopped[0.8], abs=0.01
    )


def test_without_the_stop_the_network_resists_the_one_step_only(printed):
    own, more = (
        number(printed[f"L2, not stopped, {attack}"]) for attack in ("one step", "10 steps")
    )

    assert own > number(printed["L2, stopped, one step"]) + 10
    assert more < number(printed["L2, stopped, 10 steps"]) - 10


def test_without_the_stop_unchanged_images_are_read_worse_than_adversarial_examples(printed):
    clean = number(printed["L2, not stopped, clean"])

    assert clean < number(printed["L2, not stopped, one step"])
    assert clean < number(printed["L2, stopped, clean"]) - 10


def test_every_seed_loses_more_from_one_step_to_ten_without_the_stop(printed):
    assert min(gaps(printed, "L2, not stopped")) > max(gaps(printed, "L2, stopped"))


def test_with_tanh_the_effect_is_smaller(printed):
    smooth, kinked = (gaps(printed, f"L2{kind}, not stopped") for kind in (", tanh", ""))

    assert all(one < other for one, other in zip(smooth, kinked, strict=True))


def test_with_tanh_unchanged_images_are_still_read_as_well_as_with_the_stop(printed):
    clean = number(printed["L2, tanh, not stopped, clean"])

    assert clean == pytest.approx(number(printed["L2, stopped, clean"]), abs=3)


def test_the_figure_shows_these_accuracies(printed, lines):
    for name, line in lines("misled").items():
        # Printed are whole percents.
        assert line[0.8] == pytest.approx(number(printed[f"L2, {name}"]), abs=0.51)


def test_the_difference_grows_with_the_length_at_every_epoch(lines):
    short, middle, long = lines("growth").values()

    assert all(short[epoch] < middle[epoch] < long[epoch] for epoch in short)


def test_the_difference_is_larger_after_training_than_before_for_every_seed(printed):
    for length in (0.1, 0.4, 0.8):
        after = number(printed[f"length {length}, epoch 15, lowest"])
        assert after > 2 * number(printed[f"length {length}, epoch 0, highest"])


def test_but_it_does_not_grow_steadily(lines):
    for line in lines("growth").values():
        assert list(line.values()) != sorted(line.values())


def test_the_difference_vanishes_as_a_smooth_attack_nears_the_maximum(printed, lines):
    drawn = lines("maximum")["tanh"]

    assert list(drawn.values()) == sorted(drawn.values(), reverse=True)
    assert number(printed["tanh, last"]) < 0.001


def test_with_relu_it_falls_too_and_more_is_left(lines):
    smooth, kinked = (lines("maximum")[name] for name in ("tanh", "ReLU"))

    assert smooth[20] < kinked[20] < kinked[1] / 3


def test_adversarial_training_keeps_the_network_accurate_for_longer(lines):
    plain, by_sign, by_pgd = lines("robust").values()

    for eps in (0.05, 0.1, 0.2):
        assert plain[eps] + 10 < min(by_sign[eps], by_pgd[eps])
        assert abs(by_sign[eps] - by_pgd[eps]) < 5
    assert abs(plain[0] - by_sign[0]) < 3


def test_products_are_those_counted_by_hand(printed):
    forward = slope = 2
    weights = 3  # two for the weights, one to the hidden layer

    assert int(printed["FGSM, stopped, products"]) == 2 * forward + slope + weights
    assert int(printed["PGD, 5 steps, stopped, products"]) == 9 + 4 * (forward + slope)


@pytest.mark.parametrize("attack", ["FGSM", "L2 step", "PGD, 5 steps"])
def test_the_stop_saves_nodes_and_products(printed, attack):
    for what in ("", ", products"):
        stopped, full = (
            int(printed[f"{attack}, {way}{what}"]) for way in ("stopped", "not stopped")
        )
        assert stopped < 0.75 * full


def test_xla_does_not_remove_the_products(names):
    networks = names["Networks"](tf.nn.relu, names["fresh"]())
    x, labels = names["batch"](names["TRAIN"][:20])
    attack = partial(names["fgsm"], eps=0.1)

    def products(stop):
        @partial(tf.function, autograph=False, jit_compile=True)
        def gradient(x):
            return names["weight_gradient"](networks, x, labels, attack, stop)

        program = gradient.experimental_get_compiler_ir(x)(stage="optimized_hlo")
        return len(re.findall(r" = \S+ dot\(", program))

    assert products(stop=True) == 9
    assert products(stop=False) == 17


def test_no_pixel_changes_by_more_than_eps(names):
    networks = names["Networks"](tf.nn.relu, names["fresh"]())
    x, labels = names["batch"](names["TRAIN"][:20])
    loss = partial(networks.loss, labels=labels)

    for attack in (names["fgsm"], names["pgd"]):
        change = np.abs(attack(loss, x, 0.1) - x)
        assert change.max() == pytest.approx(0.1)
    length = np.linalg.norm(names["l2_step"](loss, x, 0.8) - x, axis=-1)
    assert length == pytest.approx(np.full(length.shape, 0.8))


def test_each_pictured_digit_is_read_as_another(printed):
    before, after = (printed[f"read {when}"].split() for when in ("before", "after"))

    assert len(before) == len(after) == 10
    assert all(one != other for one, other in zip(before, after, strict=True))


def test_if_x_is_trained_stopping_the_sum_hides_it_and_stopping_the_change_does_not():
    embedding = tf.constant([1.0, 2.0])

    def gradient(stopped):
        with tf.GradientTape() as tape:
            tape.watch(embedding)
            x = 3 * embedding
            value = tf.reduce_sum(stopped(x) ** 2)
        return tape.gradient(value, embedding)

    stop = tf.stop_gradient
    assert gradient(lambda x: stop(x + tf.sign(x))) is None
    np.testing.assert_allclose(gradient(lambda x: x + stop(tf.sign(x))), [24.0, 42.0])


def test_an_example_made_before_the_tape_opens_needs_no_stop(names, printed):
    w, x = tf.constant(W), tf.constant(X)

    def loss(x):
        return w[0] * x[0] + w[1] * x[1] ** 2 / 2

    example = names["l2_step"](loss, x, 1.0)
    with tf.GradientTape() as tape:
        tape.watch(w)
        value = loss(example)

    expected = vector(printed["L2, stopped"])
    assert tape.gradient(value, w).numpy().tolist() == pytest.approx(expected, rel=1e-6)


@pytest.mark.parametrize("value", [-2.0, 0.0, 2.0])
def test_the_sign_has_gradient_zero_in_every_framework(value):
    x = tf.constant(value)
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = tf.sign(x)
    leaf = torch.tensor(value, requires_grad=True)
    torch.sign(leaf).backward()

    assert [float(tape.gradient(y, x)), float(leaf.grad), float(jax.grad(jnp.sign)(value))] == [
        0.0,
        0.0,
        0.0,
    ]


def jax_gradient(step, stop, w, x, loss):
    def after(w):
        change = step(jax.grad(loss, argnums=1)(w, x))
        return loss(w, x + (jax.lax.stop_gradient(change) if stop else change))

    return jax.grad(after), w


def jax_unit(slope):
    return slope / jnp.linalg.norm(slope)


@pytest.mark.parametrize(("stop", "key"), [(True, "L2, stopped"), (False, "L2, not stopped")])
def test_in_jax_the_l2_step_needs_the_stop(printed, stop, key):
    def loss(w, x):
        return w[0] * x[0] + w[1] * x[1] ** 2 / 2

    gradient, w = jax_gradient(jax_unit, stop, jnp.array(W), jnp.array(X), loss)

    # JAX computes in float32 here, and four places are printed.
    assert gradient(w).tolist() == pytest.approx(vector(printed[key]), abs=1e-4)


def test_jit_drops_the_products_with_zeros_and_keeps_those_of_the_l2_step():
    def loss(w, x):
        return jnp.sum(jnp.tanh(jnp.tanh(x @ w[0]) @ w[1]) ** 2)

    def products(step, stop):
        weights, x = [jnp.ones((64, 32)), jnp.ones((32, 10))], jnp.ones((100, 64))
        gradient, weights = jax_gradient(step, stop, weights, x, loss)
        program = jax.jit(gradient).lower(weights).compile().as_text()
        return len(re.findall(r" = \S+ dot\(", program))

    assert products(jnp.sign, stop=True) == products(jnp.sign, stop=False) == 9
    assert products(jax_unit, stop=True) == 9 < products(jax_unit, stop=False)


@pytest.mark.parametrize(
    ("create_graph", "detach", "key"),
    [
        (False, False, "L2, stopped"),
        (True, False, "L2, not stopped"),
        (True, True, "L2, stopped"),
    ],
)
def test_in_torch_a_path_exists_with_create_graph_only(printed, create_graph, detach, key):
    w = torch.tensor(W, dtype=torch.float64, requires_grad=True)
    x = torch.tensor(X, dtype=torch.float64, requires_grad=True)

    def loss(x):
        return w[0] * x[0] + w[1] * x[1] ** 2 / 2

    (slope,) = torch.autograd.grad(loss(x), x, create_graph=create_graph)
    example = x.detach() + slope / slope.norm()
    (gradient,) = torch.autograd.grad(loss(example.detach() if detach else example), w)

    assert gradient.tolist() == pytest.approx(vector(printed[key]), abs=1e-4)


def test_in_torch_backward_leaves_the_gradients_of_the_attack_in_the_weights():
    w = torch.tensor(2.0, requires_grad=True)
    x = torch.tensor(3.0, requires_grad=True)

    (w * x).backward()

    assert float(w.grad) == 3.0
