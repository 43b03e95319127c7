from itertools import pairwise

import tensorflow as tf

from gradvalve.tensorflow import scale_gradient


def sum_of_slopes(scale, corners):
    """Add up gradient times step along straight lines from corner to corner."""
    total = 0.0
    for start, end in pairwise(corners):
        step = tf.constant(end) - tf.constant(start)
        middle = tf.constant(start) + step / 2  # exact, since the gradient is linear
        with tf.GradientTape() as tape:
            tape.watch(middle)
            x, y = tf.unstack(middle)
            value = scale_gradient(x, scale) * y
        total += tf.reduce_sum(tape.gradient(value, middle) * step).numpy()
    return total


x_first = [[0.0, 0.0], [1.0, 0.0], [1.0, 1.0]]
y_first = [[0.0, 0.0], [0.0, 1.0], [1.0, 1.0]]
for name, scale in (("plain", 1.0), ("scaled", 0.5)):
    print(f"{name}_x_first:", sum_of_slopes(scale, x_first))
    print(f"{name}_y_first:", sum_of_slopes(scale, y_first))
