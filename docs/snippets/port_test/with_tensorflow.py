import tensorflow as tf

from gradvalve.tensorflow import scale_gradient


def slope(function):
    def at(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = function(x)
        return tape.gradient(y, x)

    return at


def cube(x):
    return scale_gradient(x, scale=0.5) ** 3


x, one, zero, inf = tf.unstack(tf.constant([1.5, 1.0, 0.0, float("inf")]))
assert scale_gradient(inf, -1) == inf
assert slope(cube)(x) == 3.375
assert tf.function(slope(cube), jit_compile=True)(x) == 3.375
assert slope(slope(cube))(x) == 2.25
with tf.autodiff.ForwardAccumulator(x, one) as accumulator:
    y = cube(x)
assert accumulator.jvp(y) == 3.375
assert slope(lambda x: tf.sqrt(scale_gradient(x, 0)))(zero) == 0
print("passed")
