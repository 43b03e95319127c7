"""What the page on frozen weights says in words, beside what its snippets print."""

import jax
import jax.numpy as jnp
import keras
import numpy as np
import optax
import pytest
import tensorflow as tf
import torch

from tests.operations.comparing import covers
from tests.snippets.test_page_claims import numbers

OPTIMIZERS = ("sgd", "momentum", "sgd_decay", "adam", "adam_decay", "adamw")


@covers("C72", "C73")
@pytest.mark.parametrize("framework", ["keras", "torch", "optax"])
def test_only_the_frozen_layer_stays_and_the_one_below_is_trained(framework):
    first, middle, last = numbers(f"freeze/with_{framework}")["frozen"]

    assert middle == 1
    assert first == last < 1


@covers("C73", "C02")
@pytest.mark.parametrize(("framework", "kept"), [("keras", 1), ("torch", 1), ("optax", 0.95)])
def test_what_is_stopped_stays_with_none_and_decays_with_zero(framework, kept):
    """One step of rate 0.1 with a decay of ½ takes 0.05 of a weight of 1."""
    first, middle, last = numbers(f"freeze/with_{framework}")["stopped"]

    assert first == middle == kept
    assert last < 0.95


@covers("C02", "C66")
@pytest.mark.parametrize("framework", ["keras", "torch", "optax"])
def test_zero_moves_a_weight_unless_the_optimizer_is_plain_gradient_descent(framework):
    printed = numbers(f"frozen/with_{framework}")

    assert [name for name in OPTIMIZERS if printed[f"{name}_zero"] == 0] == ["sgd"]
    assert all(printed[f"{name}_zero"] <= 0 for name in OPTIMIZERS)


@pytest.mark.parametrize("framework", ["keras", "torch"])
def test_none_moves_nothing(framework):
    printed = numbers(f"frozen/with_{framework}")

    assert {printed[f"{name}_none"] for name in OPTIMIZERS} == {0}


def test_the_second_step_is_the_one_that_the_formulas_give():
    """Rate 0.1, first gradient 1, weight 1; then the gradient 0."""
    adam = -0.1 * (0.9 * 0.1 / (1 - 0.9**2)) / np.sqrt(0.999 * 0.001 / (1 - 0.999**2))
    at = 0.95 - 0.1  # after a first step of AdamW
    expected = {
        "sgd": 0,
        "momentum": -0.1 * 0.9,
        "sgd_decay": -0.1 * 0.5 * 0.85,
        "adam": adam,
        "adamw": adam - 0.1 * 0.5 * at,
    }

    for framework in ("keras", "torch", "optax"):
        printed = numbers(f"frozen/with_{framework}")
        moved = {name: printed[f"{name}_zero"] for name in expected}
        assert moved == pytest.approx(expected, abs=1e-3)


def test_keras_subtracts_the_decay_of_adam_and_pytorch_adds_it_to_the_gradient():
    in_keras, in_torch, in_optax = (
        numbers(f"frozen/with_{name}") for name in ("keras", "torch", "optax")
    )

    assert in_keras["adam_decay_zero"] == in_keras["adamw_zero"] == in_torch["adamw_zero"]
    assert in_torch["adam_decay_zero"] == in_optax["adam_decay_zero"]
    assert in_torch["adam_decay_zero"] != in_torch["adamw_zero"]


def steps_with_zero(framework, adamw=False):
    """A weight of 1 after three steps in which its gradient was 0."""
    if framework == "keras":
        weight = keras.Variable(1.0)
        optimizer = keras.optimizers.AdamW(0.1) if adamw else keras.optimizers.Adam(0.1)
        for _ in range(3):
            optimizer.apply([tf.constant(0.0)], [weight])
        return float(weight)
    if framework == "torch":
        weight = torch.ones((), requires_grad=True)
        weight.grad = torch.zeros(())
        optimizer = (torch.optim.AdamW if adamw else torch.optim.Adam)([weight], 0.1)
        for _ in range(3):
            optimizer.step()
        return weight.item()
    weight, optimizer = jnp.ones(()), optax.adamw(0.1) if adamw else optax.adam(0.1)
    state = optimizer.init(weight)
    for _ in range(3):
        update, state = optimizer.update(jnp.zeros(()), state, weight)
        weight = optax.apply_updates(weight, update)
    return weight.item()


@pytest.mark.parametrize("framework", ["keras", "torch", "optax"])
def test_momentum_of_zeros_moves_nothing_but_adamw_decays_by_default(framework):
    assert steps_with_zero(framework) == 1
    assert steps_with_zero(framework, adamw=True) < 1


def test_keras_in_tensorflow_ignores_trainable_until_the_model_is_compiled_again():
    x = np.ones((2, 1), "float32")
    layers = [keras.layers.Dense(1, kernel_initializer="ones") for _ in range(2)]
    model = keras.Sequential([keras.Input([1]), *layers])

    def moved(compiled):
        if compiled:
            model.compile(keras.optimizers.SGD(0.01), "mse")
        before = layers[0].kernel.numpy().item()
        model.fit(x, 0 * x, verbose=0)
        return layers[0].kernel.numpy().item() != before

    assert moved(compiled=True)
    layers[0].trainable = False
    assert moved(compiled=False)
    assert not moved(compiled=True)


def test_masks_that_leave_a_weight_unfrozen():
    printed = numbers("freeze_masks/with_optax")
    gradient, decay, adam = 2, -0.1 * 0.5, -0.1

    assert printed == {
        "masked": gradient,
        "decay_mask": adam,
        "zeros_first": decay,
        "zeros_last": 0,
    }


@covers("C71")
@pytest.mark.parametrize(
    ("together", "valve", "products"),
    [(True, lambda w: w, 2), (False, lambda w: w, 4), (False, jax.lax.stop_gradient, 2)],
    ids=["compiled together", "gradients alone", "stopped"],
)
def test_the_compiler_leaves_out_the_gradients_that_set_to_zero_discards(together, valve, products):
    """What it compiles has fewer products than the program, since some are sums of columns."""
    weights, batch = {"first": jnp.ones((2, 2)), "last": jnp.ones((2, 2))}, jnp.ones((3, 2))
    optimizer = optax.multi_transform(
        {"train": optax.sgd(0.1), "freeze": optax.set_to_zero()},
        {"first": "freeze", "last": "train"},
    )
    state = optimizer.init(weights)

    def gradients(w):
        return jax.grad(lambda w: jnp.sum(jnp.tanh(batch @ valve(w["first"])) @ w["last"]))(w)

    def step(w):
        return optimizer.update(gradients(w), state)[0]

    program = jax.jit(step if together else gradients).lower(weights).compile().as_text()

    assert program.count(" dot(") == products


@covers("C66")
@pytest.mark.parametrize("left_out", [False, True])
def test_rows_shrink_in_keras_unless_the_table_is_left_out_of_the_decay(left_out):
    table = keras.Variable(np.ones((2, 1), "float32"))
    optimizer = keras.optimizers.AdamW(0.1, weight_decay=0.5)
    if left_out:
        optimizer.exclude_from_weight_decay(var_list=[table])
    with tf.GradientTape() as tape:
        looked_up = tf.gather(table.value, [1])

    optimizer.apply([tape.gradient(looked_up, table.value)], [table])

    row, used = table.numpy().ravel()
    assert row == pytest.approx(1 if left_out else 0.95)
    assert used < row


@covers("C66")
@pytest.mark.parametrize("left_out", [False, True])
def test_so_they_do_in_pytorch_and_optax(left_out):
    table = torch.nn.Embedding(2, 1)
    torch.nn.init.ones_(table.weight)
    decay = {"weight_decay": 0} if left_out else {}
    groups = [{"params": table.parameters(), **decay}]
    optimizer = torch.optim.AdamW(groups, 0.1, weight_decay=0.5)
    table(torch.tensor([1])).sum().backward()
    optimizer.step()

    weights = {"table": jnp.ones((2, 1))}
    adamw = optax.adamw(0.1, weight_decay=0.5, mask={"table": not left_out})
    gradients = jax.grad(lambda w: w["table"][1].sum())(weights)
    update, _ = adamw.update(gradients, adamw.init(weights), weights)
    moved = optax.apply_updates(weights, update)["table"]

    expected = 1 if left_out else 0.95
    assert table.weight[0].item() == pytest.approx(expected) == moved[0].item()


def test_the_running_mean_moves_without_a_gradient():
    x = np.array([[1.0], [3.0]], "float32")

    def mean_in_keras(trainable):
        layer = keras.layers.BatchNormalization()
        layer.build((None, 1))
        layer.trainable = trainable
        layer(tf.stop_gradient(x), training=True)
        return layer.moving_mean.numpy().item()

    layer = torch.nn.BatchNorm1d(1).requires_grad_(False)
    means = []
    for mode in (layer.train, layer.eval):
        before = layer.running_mean.item()
        mode()(torch.from_numpy(x))
        means.append(layer.running_mean.item() - before)

    assert mean_in_keras(trainable=True) > 0 == mean_in_keras(trainable=False)
    assert means[0] > 0 == means[1]
