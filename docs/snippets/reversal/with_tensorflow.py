import tensorflow as tf

from gradvalve.tensorflow import scale_gradient

features = tf.Variable([1.0, 2.0])
scale = tf.constant([0.5, -1.0])  # halve the first, reverse the second
with tf.GradientTape() as tape:
    loss = tf.reduce_sum(scale_gradient(features, scale) ** 2)

print("value:", loss.numpy())
print("gradient:", tape.gradient(loss, features).numpy().tolist())
