import tensorflow as tf

x = tf.Variable([3.0, 3.0, 1.0])
with tf.GradientTape(persistent=True) as tape:
    largest = tf.reduce_max(x)
    stopped = tf.stop_gradient(largest)
    results = {
        "both": stopped + tf.math.log(tf.reduce_sum(tf.exp(x - stopped))),
        "neither": largest + tf.math.log(tf.reduce_sum(tf.exp(x - largest))),
        "only_outer": stopped + tf.math.log(tf.reduce_sum(tf.exp(x - largest))),
        "only_inner": largest + tf.math.log(tf.reduce_sum(tf.exp(x - stopped))),
    }

for name, result in results.items():
    gradient = tape.gradient(result, x).numpy()
    print(f"{name}: [{', '.join(f'{entry:.3f}' for entry in gradient)}]")
    print(f"{name}_value: {result.numpy():.3f}")
    print(f"{name}_sum: {gradient.sum():.2f}")
