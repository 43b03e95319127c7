import tensorflow as tf

from gradvalve.tensorflow import scale_gradient

scale = tf.Variable(0.0, trainable=False)
traces = []


@tf.function
def gradient(x):
    traces.append(x)  # runs only while TensorFlow traces
    with tf.GradientTape() as tape:
        tape.watch(x)
        y = scale_gradient(x, scale) ** 2
    return tape.gradient(y, x)


for strength in (0.0, 0.5, -1.0):
    scale.assign(strength)
    print(f"at_{strength}:", gradient(tf.constant(3.0)).numpy())

print("traces:", len(traces))
