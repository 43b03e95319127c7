import tensorflow as tf

x = tf.Variable(3.0)  # stands for the layers below
weight = tf.Variable(2.0)
frozen = tf.Variable(2.0, trainable=False)


def gradients(loss, variables):
    with tf.GradientTape() as tape:
        value = loss()
    found = tape.gradient(value, variables)
    return [None if gradient is None else float(gradient) for gradient in found]


print("weight_frozen:", gradients(lambda: frozen * x, [frozen, x]))
print("input_stopped:", gradients(lambda: weight * tf.stop_gradient(x), [weight, x]))
print("output_stopped:", gradients(lambda: tf.stop_gradient(weight * x), [weight, x]))
