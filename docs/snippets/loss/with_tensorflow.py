import tensorflow as tf


def scale_gradient(x, scale):
    @tf.custom_gradient
    def identity(tensor):
        return tf.stop_gradient(tensor), lambda gradient: scale * gradient

    return identity(x)


weight = tf.Variable(3.0)
with tf.GradientTape(persistent=True) as tape:
    loss = weight**2
    scaled = scale_gradient(loss, 0.25)
    multiplied = 0.25 * loss

print("scaled_value:", scaled.numpy())
print("scaled_gradient:", tape.gradient(scaled, weight).numpy())
print("multiplied_value:", multiplied.numpy())
print("multiplied_gradient:", tape.gradient(multiplied, weight).numpy())
