import tensorflow as tf


def scale_gradient(x, scale):
    @tf.custom_gradient
    def identity(tensor):
        return tf.stop_gradient(tensor), lambda gradient: scale * gradient

    return identity(x)


x = tf.Variable(2.0)
with tf.GradientTape(persistent=True) as tape:
    y = x**2
    plain = x * y
    stopped = x * tf.stop_gradient(y)
    halved = x * scale_gradient(y, 0.5)

print("plain:", plain.numpy())
print("stopped:", stopped.numpy())
print("halved:", halved.numpy())
print("plain_gradient:", tape.gradient(plain, x).numpy())
print("stopped_gradient:", tape.gradient(stopped, x).numpy())
print("halved_gradient:", tape.gradient(halved, x).numpy())
