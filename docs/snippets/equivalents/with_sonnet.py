import sonnet as snt
import tensorflow as tf

x = tf.Variable(3.0)
with tf.GradientTape(persistent=True) as tape:
    stopped = x * tf.stop_gradient(x)
    halved = snt.scale_gradient(x, 0.5) ** 2

print("stopped:", tape.gradient(stopped, x).numpy())
print("halved:", tape.gradient(halved, x).numpy())
