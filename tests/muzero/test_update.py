"""What arrives where: closed forms, a computation without scale_gradient, and PyTorch's hook."""

import numpy as np
import pytest
import tensorflow as tf
import torch

from gradvalve.muzero import update
from gradvalve.muzero.games import Batch, checked
from gradvalve.muzero.update import make_scales, unroll, update_weights

K = 4
LOSS_SCALE = 0.25
WEIGHT_DECAY = [1e-2, 3e-2]
each_placement = pytest.mark.parametrize("placement", ["pseudocode", "text", "hook"])
each_scale = pytest.mark.parametrize("state_scale", [0.0, 0.3, 0.5, 1.0])

# Factor of loss j where the dynamics function is applied for the k-th time, and at the
# representation function. A hook on the state lies between the heads and the state, so that value
# and policy of step j pass the hooks of steps k to j, the reward those of steps k to j − 1.
FACTORS = {
    ("pseudocode", "heads"): (lambda s, j, k: s ** (j - k), lambda s, j: s ** (j - 1)),
    ("pseudocode", "reward"): (lambda s, j, k: s ** (j - k), lambda s, j: s ** (j - 1)),
    ("text", "heads"): (lambda s, j, k: s ** (j - k), lambda s, j: s**j),
    ("text", "reward"): (lambda s, j, k: s ** (j - k), lambda s, j: s**j),
    ("hook", "heads"): (lambda s, j, k: s ** (j - k + 1), lambda s, j: s**j),
    ("hook", "reward"): (lambda s, j, k: s ** (j - k), lambda s, j: s ** (j - 1)),
}


def scales(state_scale=1.0, loss_scale=1.0, placement="pseudocode", members=2):
    return make_scales(
        [state_scale] * members, [loss_scale] * members, [placement] * members, "float64"
    )


class Copies(dict):
    """Weights by function, with a copy of those of the dynamics for each application."""

    def __init__(self, weights):
        super().__init__(weights)
        self.copies = [[tf.identity(weight) for weight in weights["dynamics"]] for _ in range(K)]
        self.applied = iter(self.copies)

    def __getitem__(self, name):
        return next(self.applied) if name == "dynamics" else super().__getitem__(name)


def head_loss(prediction, target, part):
    value, reward, policy = target
    if part == "reward":
        return update.scalar_loss(prediction.reward, reward)
    return update.scalar_loss(prediction.value, value) + update.policy_loss(
        prediction.policy_logits, policy
    )


def contributions(network, batch, scales, part):
    """Return the gradient of each loss j: lists over the applications, and by function."""
    weights = dict(network.weights)
    with tf.GradientTape(persistent=True) as tape:
        network.weights = copies = Copies(weights)
        predictions = unroll(network, batch, scales)
        losses = [
            tf.reduce_mean(head_loss(prediction, update.targets(batch, j), part), axis=1)
            for j, (_, prediction) in enumerate(predictions)
        ]
    network.weights = weights

    functions = {name: weights[name] for name in ("representation", "prediction")}
    sources = {"dynamics": copies.copies} | functions
    return [tape.gradient(loss, sources, unconnected_gradients="zero") for loss in losses]


def assert_close(actual, expected):
    for a, e in zip(actual, expected, strict=True):
        np.testing.assert_allclose(a, e, rtol=1e-10, atol=1e-14)


@pytest.mark.parametrize("part", ["heads", "reward"])
@each_placement
@each_scale
def test_gradient_of_every_loss_at_every_place_follows_the_closed_form(
    new_network, batch, placement, state_scale, part
):
    network = new_network()
    plain = contributions(network, batch, scales(), part)
    scaled = contributions(network, batch, scales(state_scale, 1.0, placement), part)
    at_step, at_root = FACTORS[placement, part]

    for j in range(1, K + 1):
        for k in range(1, K + 1):
            factor = at_step(state_scale, j, k) if k <= j else 0.0
            expected = [factor * each for each in plain[j]["dynamics"][k - 1]]
            assert_close(scaled[j]["dynamics"][k - 1], expected)
        factor = at_root(state_scale, j)
        assert_close(scaled[j]["representation"], [factor * e for e in plain[j]["representation"]])
        assert_close(scaled[j]["prediction"], plain[j]["prediction"])
    for name in ("representation", "prediction"):
        assert_close(scaled[0][name], plain[0][name])


@each_placement
@each_scale
def test_update_equals_weighted_sums_of_gradients_without_scale_gradient(
    new_network, batch, placement, state_scale
):
    network = new_network()
    before = {name: [w.numpy() for w in each] for name, each in network.weights.items()}
    decay = np.reshape(WEIGHT_DECAY, (2, 1, 1))
    expected = {name: [decay * w for w in each] for name, each in before.items()}
    for part in ("heads", "reward"):
        at_step, at_root = FACTORS[placement, part]
        for j, gradients in enumerate(contributions(network, batch, scales(), part)):
            own = LOSS_SCALE if j else 1.0
            add(expected["prediction"], own, gradients["prediction"])
            root = own * at_root(state_scale, j) if j else 1.0
            add(expected["representation"], root, gradients["representation"])
            for k in range(1, j + 1):
                factor = own * at_step(state_scale, j, k)
                add(expected["dynamics"], factor, gradients["dynamics"][k - 1])
    optimizer = tf.keras.optimizers.SGD(1.0)

    update_weights(
        optimizer,
        network,
        batch,
        tf.constant(WEIGHT_DECAY, tf.float64),
        scales(state_scale, LOSS_SCALE, placement),
    )

    for name, weights in network.weights.items():
        pairs = zip(before[name], expected[name], strict=True)
        # Keras keeps the learning rate in float32; that of 1 is exact.
        assert_close([w.numpy() for w in weights], [w - gradient for w, gradient in pairs])


def add(sums, factor, gradients):
    for number, gradient in enumerate(gradients):
        sums[number] = sums[number] + factor * gradient


class InTorch:
    """The same computation with PyTorch's own means, for one member."""

    def __init__(self, network, member):
        self.weights = {
            name: [torch.tensor(w.numpy()[member], requires_grad=True) for w in each]
            for name, each in network.weights.items()
        }

    def apply(self, name, x):
        first, first_bias, second, second_bias = self.weights[name]
        return torch.relu(x @ first + first_bias) @ second + second_bias

    def normalised(self, state):
        low, high = state.amin(-1, keepdim=True), state.amax(-1, keepdim=True)
        return (state - low) / (high - low + 1e-5)

    def loss(self, batch, member, state_scale):
        image, actions, value, reward, policy = (torch.tensor(each[member]) for each in batch)
        hidden_state = self.normalised(self.apply("representation", image))
        total = self.step_loss(hidden_state, 0, value[:, 0], reward[:, 0], policy[:, 0])
        for k in range(1, K + 1):
            action = torch.nn.functional.one_hot(actions[:, k - 1], 3).double()
            output = self.apply("dynamics", torch.cat([hidden_state, action], -1))
            hidden_state = self.normalised(output[:, 1:])
            if state_scale != 1:
                hidden_state.register_hook(lambda gradient: gradient * state_scale)
            step = value[:, k], reward[:, k], policy[:, k]
            total = total + LOSS_SCALE * self.step_loss(hidden_state, output[:, 0], *step)
        return total.mean()

    def step_loss(self, hidden_state, predicted_reward, value, reward, policy):
        output = self.apply("prediction", hidden_state)
        cross_entropy = -(policy * torch.log_softmax(output[:, 1:], -1)).sum(-1)
        return (output[:, 0] - value) ** 2 + (predicted_reward - reward) ** 2 + cross_entropy


@pytest.mark.parametrize("state_scale", [0.5, 1.0])
@pytest.mark.parametrize("member", [0, 1])
def test_hook_is_what_register_hook_does_in_torch(new_network, batch, member, state_scale):
    network = new_network()
    other = InTorch(network, member)
    other.loss(batch, member, state_scale).backward()

    with tf.GradientTape() as tape:
        predictions = unroll(network, batch, scales(state_scale, LOSS_SCALE, "hook"))
        loss = tf.reduce_mean(update.total_loss(predictions, batch), axis=1)
    gradients = tape.gradient(loss, network.weights)

    for name, weights in other.weights.items():
        assert_close(
            [g.numpy()[member] for g in gradients[name]], [w.grad.numpy() for w in weights]
        )


def test_scales_do_not_change_the_reported_loss(new_network, batch):
    losses = [
        update.total_loss(unroll(new_network(), batch, each), batch).numpy()
        for each in (scales(), scales(0.0, 0.1, "hook"), scales(0.5, 0.25, "text"))
    ]

    np.testing.assert_array_equal(losses[1], losses[0])
    np.testing.assert_array_equal(losses[2], losses[0])


def test_policy_of_zeros_sends_no_gradient_back():
    logits = tf.Variable([[1.0, 2.0, 3.0]])
    with tf.GradientTape(persistent=True) as tape:
        loss = update.policy_loss(logits, tf.zeros((1, 3)))
        unmasked = tf.nn.softmax_cross_entropy_with_logits(tf.zeros((1, 3)), logits)

    assert loss.numpy() == 0
    np.testing.assert_array_equal(tape.gradient(loss, logits), np.zeros((1, 3)))
    assert unmasked.numpy() == 0
    assert np.abs(tape.gradient(unmasked, logits)).max() > 0.1  # the trap


def test_new_scales_do_not_trace_the_update_again(new_network, batch):
    network, optimizer = new_network(), tf.keras.optimizers.SGD(0.1)
    decay = tf.zeros(2, tf.float64)
    batch = Batch(*map(tf.constant, batch))
    before = update_weights.experimental_get_tracing_count()
    for each in (scales(0.5, 0.25), scales(0.3, 1.0, "hook"), scales(0.0, 0.1, "text")):
        update_weights(optimizer, network, batch, decay, each)

    assert update_weights.experimental_get_tracing_count() == before + 1


def test_an_unknown_placement_is_named():
    with pytest.raises(ValueError, match="one of pseudocode, text, hook; not 'paper'"):
        make_scales([0.5], [1.0], ["paper"])


def test_a_sound_batch_passes(new_network, batch):
    assert checked(batch, new_network()) is batch


@pytest.mark.parametrize(
    ("changed", "complaint"),
    [
        (
            {"image": np.zeros((2, 3, 7))},
            r"image must have the shape \(2, 3, 6\), but has \(2, 3, 7\)",
        ),
        ({"image": np.full((2, 3, 6), np.nan)}, "image must hold finite numbers"),
        ({"actions": np.zeros((2, 3), int)}, r"actions must have the shape .*, but have \(2, 3\)"),
        ({"actions": np.zeros((2, 3, 0), int)}, "K of 1 or more"),
        ({"actions": np.full((2, 3, 4), 3)}, "actions must hold integers from 0 to 2, .* 3 to 3"),
        ({"actions": np.full((2, 3, 4), -1)}, "actions must hold integers from 0 to 2, .* -1"),
        ({"actions": np.zeros((2, 3, 4))}, "actions must hold integers, .* float64"),
        ({"value": np.zeros((2, 3, 4))}, r"value must have the shape \(2, 3, 5\), .*K = 4"),
        ({"reward": np.zeros((1, 3, 5))}, r"reward must have the shape \(2, 3, 5\), .*2 members"),
        ({"reward": np.full((2, 3, 5), np.inf)}, "reward must hold finite numbers"),
        ({"policy": np.ones((2, 3, 5, 2))}, r"policy must have the shape \(2, 3, 5, 3\)"),
        ({"policy": np.ones((2, 3, 5, 3))}, r"policy must hold probabilities .*\[1.0, 1.0, 1.0\]"),
        ({"policy": np.tile([2.0, -1, 0], (2, 3, 5, 1))}, r"policy must hold .*\[2.0, -1.0, 0.0\]"),
    ],
)
def test_a_batch_that_does_not_fit_is_refused_by_name(new_network, batch, changed, complaint):
    with pytest.raises(ValueError, match=complaint):
        checked(batch._replace(**changed), new_network())
