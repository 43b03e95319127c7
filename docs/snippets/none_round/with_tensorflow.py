import tensorflow as tf

x = tf.Variable(1.3)
with tf.GradientTape() as tape:
    rounded = x + tf.stop_gradient(tf.round(x) - x)

print("x:", x.numpy())
print("rounded:", rounded.numpy())
print("gradient:", tape.gradient(rounded, x).numpy())
