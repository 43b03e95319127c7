import tensorflow as tf

from gradvalve.tensorflow import scale_gradient, stop_gradient

x = tf.Variable(1.5)
with tf.GradientTape(persistent=True) as second:
    with tf.GradientTape(persistent=True) as first:
        scaled = scale_gradient(x, 0.5) ** 3
        stopped = stop_gradient(x) * x**2
    scaled_first = first.gradient(scaled, x)
    stopped_first = first.gradient(stopped, x)

print("scaled_first:", scaled_first.numpy())
print("scaled_second:", second.gradient(scaled_first, x).numpy())
print("stopped_first:", stopped_first.numpy())
print("stopped_second:", second.gradient(stopped_first, x).numpy())
