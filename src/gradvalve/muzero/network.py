"""The three functions of MuZero, each a perceptron of two layers, for several members at once."""

from typing import NamedTuple

import numpy as np
import tensorflow as tf

from gradvalve.tensorflow import scale_gradient


class Output(NamedTuple):
    """What an inference returns. All shapes begin with [members, batch]."""

    value: tf.Tensor
    reward: tf.Tensor
    policy_logits: tf.Tensor  # [..., actions]
    hidden_state: tf.Tensor  # [..., hidden], between 0 and 1


class Network:
    """One network for each seed, all with the same shapes.

    Args:
        pixels: how many numbers an image has.
        actions: how many actions there are.
        seeds: a list of integers. Equal seeds start with equal weights.
        hidden, width: sizes of the hidden state and of each perceptron's inner layer.
        dtype: float32 or float64.
    """

    def __init__(self, pixels, actions, seeds, hidden=32, width=64, dtype="float32"):
        self.actions = actions
        self.dtype = dtype
        sizes = {
            "representation": (pixels, width, hidden),
            "dynamics": (hidden + actions, width, hidden + 1),  # and the reward
            "prediction": (hidden, width, actions + 1),  # policy and value
        }
        generators = [np.random.default_rng([seed, 0]) for seed in seeds]
        self.weights = {name: _perceptron(generators, *sizes[name], dtype) for name in sizes}

    def get_weights(self):
        return [weight for weights in self.weights.values() for weight in weights]

    def initial_inference(self, image):
        hidden_state = _normalised(self._apply("representation", image))
        return self._predict(hidden_state, reward=tf.zeros(tf.shape(image)[:2], self.dtype))

    def recurrent_inference(self, hidden_state, action, hook=1.0):
        """Return the next hidden state, with the gradient that reaches it multiplied by `hook`.

        Value and policy are read from the hooked state. The reward is not: like the state, it is
        an output of the dynamics function.
        """
        action = tf.one_hot(action, self.actions, dtype=self.dtype)
        output = self._apply("dynamics", tf.concat([hidden_state, action], axis=-1))
        hidden_state = _normalised(output[..., 1:])
        return self._predict(scale_gradient(hidden_state, hook), reward=output[..., 0])

    def _predict(self, hidden_state, reward):
        output = self._apply("prediction", hidden_state)
        return Output(output[..., 0], reward, output[..., 1:], hidden_state)

    def _apply(self, name, x):
        first, first_bias, second, second_bias = self.weights[name]
        return tf.nn.relu(x @ first + first_bias) @ second + second_bias


def _perceptron(generators, inputs, width, outputs, dtype):
    def matrix(rows, columns):
        drawn = [rng.normal(size=(rows, columns)) for rng in generators]
        return tf.Variable(np.stack(drawn) / np.sqrt(rows), dtype=dtype)

    def bias(columns):
        return tf.Variable(np.zeros((len(generators), 1, columns)), dtype=dtype)

    return matrix(inputs, width), bias(width), matrix(width, outputs), bias(outputs)


def _normalised(state):
    smallest = tf.reduce_min(state, axis=-1, keepdims=True)
    largest = tf.reduce_max(state, axis=-1, keepdims=True)
    return (state - smallest) / (largest - smallest + 1e-5)
