import tensorflow as tf

from gradvalve.tensorflow import stop_gradient

x = tf.Variable(3.0)
with tf.GradientTape() as tape:
    y = x * stop_gradient(x)

print("value:", y.numpy())
print("gradient:", tape.gradient(y, x).numpy())
