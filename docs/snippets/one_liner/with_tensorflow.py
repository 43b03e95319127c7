import tensorflow as tf


def one_liner(x, scale):
    return x * scale + tf.stop_gradient(x) * (1 - scale)


numbers = 1 / tf.range(1.0, 1001.0)
changed = tf.math.count_nonzero(one_liner(numbers, 0.3) != numbers)
infinity = tf.constant(float("inf"))

print("changed:", changed.numpy())
print("infinity_halved:", one_liner(infinity, 0.5).numpy())
print("infinity_reversed:", one_liner(infinity, -1.0).numpy())
