"""MuZero's update of the weights, step by step as in its pseudocode.

Several networks, the members, train side by side. Shapes begin with
[members, batch]; each member has scales and a weight decay of its own.
"""

from typing import NamedTuple

import tensorflow as tf

from gradvalve.tensorflow import scale_gradient


class Scales(NamedTuple):
    """What multiplies the gradient at each place; 1 leaves it alone."""

    loss: tf.Tensor  # each unrolled loss, [members, 1]
    after_prediction: tf.Tensor  # the hidden state, [members, 1, 1] each
    before_dynamics: tf.Tensor
    hook: tf.Tensor


PLACEMENTS = {
    "pseudocode": "after_prediction",
    "text": "before_dynamics",  # the paper's text
    "hook": "hook",  # PyTorch: hidden_state.register_hook
}


@tf.function(autograph=False)
def update_weights(optimizer, network, batch, weight_decay, scales):
    """Take one step of the optimizer; return the losses, [members]."""
    weights = network.get_weights()
    with tf.GradientTape() as tape:
        predictions = unroll(network, batch, scales)
        loss = tf.reduce_mean(total_loss(predictions, batch), axis=1)
        for weight in weights:
            loss += weight_decay * l2_loss(weight)
    gradients = tape.gradient(loss, weights)
    optimizer.apply_gradients(zip(gradients, weights, strict=True))
    return loss


def unroll(network, batch, scales):
    """Return K + 1 predictions, each with the scale of its gradient."""
    loss_scale, after_prediction, before_dynamics, hook = scales
    prediction = network.initial_inference(batch.image)
    predictions = [(1.0, prediction)]
    hidden_state = prediction.hidden_state
    for action in tf.unstack(batch.actions, axis=2):
        hidden_state = scale_gradient(hidden_state, before_dynamics)
        prediction = network.recurrent_inference(hidden_state, action, hook)
        predictions.append((loss_scale, prediction))
        hidden_state = prediction.hidden_state
        hidden_state = scale_gradient(hidden_state, after_prediction)
    return predictions


def total_loss(predictions, batch):
    """Return the loss of each element of the batch, [members, batch]."""
    loss = 0.0
    for k, (gradient_scale, prediction) in enumerate(predictions):
        l = prediction_loss(prediction, targets(batch, k))  # noqa: E741
        loss += scale_gradient(l, gradient_scale)
    return loss


def targets(batch, k):
    """Return what the prediction of step k is compared with."""
    return batch.value[:, :, k], batch.reward[:, :, k], batch.policy[:, :, k]


def prediction_loss(prediction, target):
    """Return the loss of one step's prediction, [members, batch]."""
    value, reward, policy = target
    return (
        scalar_loss(prediction.value, value)
        + scalar_loss(prediction.reward, reward)
        + policy_loss(prediction.policy_logits, policy)
    )


def scalar_loss(prediction, target):
    return (prediction - target) ** 2


def policy_loss(logits, policy):
    """Return the cross-entropy; nothing where the policy is all zeros."""
    loss = tf.nn.softmax_cross_entropy_with_logits(policy, logits)
    # After the end of an episode there is no policy. Cross-entropy is 0 there,
    # but its gradient isn't: TensorFlow takes the labels to add up to 1.
    return tf.where(tf.reduce_any(policy > 0, axis=-1), loss, 0)


def l2_loss(weight):
    """Return half the sum of squares of each member, [members]."""
    return tf.reduce_sum(weight**2, axis=range(1, weight.shape.rank)) / 2


def make_scales(state_scale, loss_scale, placement, dtype="float32"):
    """Return the Scales of members; the arguments are lists, one of each.

    Raises:
        ValueError: a placement isn't one of PLACEMENTS.
    """
    for name in placement:
        if name not in PLACEMENTS:
            known = ", ".join(PLACEMENTS)
            raise ValueError(f"placement must be one of {known}; not {name!r}")

    def at(place):
        pairs = zip(placement, state_scale, strict=True)
        scales = [s if PLACEMENTS[name] == place else 1.0 for name, s in pairs]
        return tf.constant(scales, dtype)[:, None, None]

    loss = tf.constant(loss_scale, dtype)[:, None]
    return Scales(loss, *map(at, Scales._fields[1:]))
