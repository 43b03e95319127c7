import tensorflow as tf


def scale_gradient(x, scale):
    """Return x as it is; multiply its gradient by scale on the way back."""

    @tf.custom_gradient
    def identity(tensor):
        return tf.stop_gradient(tensor), lambda gradient: scale * gradient

    return identity(x)


x = tf.constant(3.0)
with tf.GradientTape() as tape:
    tape.watch(x)
    y = scale_gradient(x, 0.5) ** 2

print("value:", y.numpy())
print("gradient:", tape.gradient(y, x).numpy())
