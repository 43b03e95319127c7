import keras
import tensorflow as tf  # one of the three backends, for the gradients

from gradvalve.keras import ScaleGradient

halve = ScaleGradient(0.5)  # a layer

x = tf.Variable(3.0)
with tf.GradientTape(persistent=True) as tape:
    stopped = x * keras.ops.stop_gradient(x)
    halved = halve(x) ** 2

print("stopped:", tape.gradient(stopped, x).numpy())
print("halved:", tape.gradient(halved, x).numpy())
