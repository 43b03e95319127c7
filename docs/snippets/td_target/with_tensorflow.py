import keras
import numpy as np
import tensorflow as tf


def td_loss(network, state, reward, discount, next_state):
    target = tf.stop_gradient(reward + discount * network(next_state))
    return tf.reduce_mean((target - network(state)) ** 2)


keras.utils.set_random_seed(0)
network = keras.Sequential([keras.layers.Dense(8, "tanh"), keras.layers.Dense(1)])
state, next_state = tf.random.normal([4, 3]), tf.random.normal([4, 3])
reward, discount = tf.ones([4, 1]), tf.constant([[0.9], [0.9], [0.9], [0.0]])
numbers = (reward + discount * network(next_state)).numpy()  # carries no gradient

with tf.GradientTape(persistent=True) as tape:
    loss = td_loss(network, state, reward, discount, next_state)
    expected_loss = tf.reduce_mean((numbers - network(state)) ** 2)

gradients = tape.gradient(loss, network.trainable_variables)
expected = tape.gradient(expected_loss, network.trainable_variables)
for gradient, wanted in zip(gradients, expected, strict=True):
    np.testing.assert_allclose(gradient, wanted, rtol=1e-5, atol=1e-6)
print("the target is stopped")
