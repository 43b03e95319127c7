import tensorflow as tf

from gradvalve.tensorflow import scale_gradient, stop_gradient

x = tf.Variable(2.0)
with tf.GradientTape(persistent=True) as tape:
    stopped = 3 * stop_gradient(x)
    closed = 3 * scale_gradient(x, 0)
    flat = 0 * x

print("stopped:", tape.gradient(stopped, x))
print("stopped_as_zero:", tape.gradient(stopped, x, unconnected_gradients="zero").numpy())
print("closed:", tape.gradient(closed, x).numpy())
print("flat:", tape.gradient(flat, x).numpy())
