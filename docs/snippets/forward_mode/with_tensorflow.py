import tensorflow as tf

from gradvalve.tensorflow import scale_gradient, stop_gradient

x = tf.constant(3.0)
with tf.autodiff.ForwardAccumulator(primals=x, tangents=tf.constant(1.0)) as forward:
    scaled = scale_gradient(x, 0.5) ** 2
    stopped = stop_gradient(x) ** 2

print("scaled:", forward.jvp(scaled).numpy())
print("stopped:", forward.jvp(stopped))
