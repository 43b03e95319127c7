import tensorflow as tf

from gradvalve.tensorflow import scale_gradient

x = tf.Variable(3.0)
with tf.GradientTape(persistent=True) as tape:
    stopped = x * tf.stop_gradient(x)
    halved = scale_gradient(x, 0.5) ** 2

print("stopped:", tape.gradient(stopped, x).numpy())
print("halved:", tape.gradient(halved, x).numpy())
