import numpy as np
import tensorflow as tf

from gradvalve.muzero.games import Batch
from gradvalve.muzero.network import Network
from gradvalve.muzero.update import make_scales, update_weights

STEPS, ACTIONS, PIXELS, SIZE = 5, 3, 50, 64


def random_batch():
    """Something to learn by heart; the first axis is for several networks."""
    random = np.random.default_rng(0)
    policy = random.dirichlet(np.ones(ACTIONS), (1, SIZE, STEPS + 1))
    reward = random.normal(size=(1, SIZE, STEPS + 1))
    reward[..., 0] = 0  # nothing has happened yet
    return Batch(
        image=tf.constant(random.random((1, SIZE, PIXELS)), tf.float32),
        actions=tf.constant(random.integers(ACTIONS, size=(1, SIZE, STEPS))),
        value=tf.constant(random.normal(size=(1, SIZE, STEPS + 1)), tf.float32),
        reward=tf.constant(reward, tf.float32),
        policy=tf.constant(policy, tf.float32),
    )


for name, state_scale, loss_scale in [
    ("scaled", 0.5, 1 / STEPS),
    ("not_scaled", 1.0, 1.0),
]:
    network = Network(PIXELS, ACTIONS, seeds=[0])
    optimizer = tf.keras.optimizers.Adam(3e-3)
    optimizer.build(network.get_weights())
    scales = make_scales([state_scale], [loss_scale], ["pseudocode"])
    batch, weight_decay = random_batch(), tf.constant([1e-4])
    losses = []
    for _ in range(100):
        loss = update_weights(optimizer, network, batch, weight_decay, scales)
        losses.append(loss.numpy()[0])
    print(f"{name}_first: {losses[0]:.3f}")
    print(f"{name}_last: {losses[-1]:.3f}")
