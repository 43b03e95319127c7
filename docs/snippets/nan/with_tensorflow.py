import tensorflow as tf

x = tf.Variable([0.0, 2.0])
with tf.GradientTape(persistent=True) as tape:
    masked_output = tf.where(x > 0, tf.math.log(x), 0.0)
    safe = tf.where(x > 0, x, 1.0)
    masked_input = tf.where(x > 0, tf.math.log(safe), 0.0)

print("masked_output:", tape.gradient(masked_output, x).numpy().tolist())
print("masked_input:", tape.gradient(masked_input, x).numpy().tolist())
