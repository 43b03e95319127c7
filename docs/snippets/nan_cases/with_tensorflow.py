import tensorflow as tf


def gradient(function, x):
    x = tf.Variable(x)
    with tf.GradientTape() as tape:
        y = function(x)
    return tape.gradient(y, x).numpy().tolist()


def tower(a):
    return 10 ** tf.exp(a)


def overflow(a):
    return tf.where(a < 15, a, tower(a))


def overflow_masked(a):
    return tf.where(a < 15, a, tower(tf.where(a < 15, 0.0, a)))


divisor = tf.constant([0.0, 1.0])


def division(x):
    return tf.where(divisor != 0, x / divisor, 0.0)


def division_masked(x):
    return tf.where(divisor != 0, x / tf.where(divisor != 0, divisor, 1.0), 0.0)


def division_no_nan(x):
    return tf.math.divide_no_nan(x, divisor)


print("overflow:", gradient(overflow, 10.0))
print("overflow_masked:", gradient(overflow_masked, 10.0))
print("division:", gradient(division, [1.0, 1.0]))
print("division_masked:", gradient(division_masked, [1.0, 1.0]))
print("division_no_nan:", gradient(division_no_nan, [1.0, 1.0]))
