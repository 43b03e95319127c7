import tensorflow as tf

from gradvalve.tensorflow import scale_gradient

weights = tf.Variable([3.0, 4.0])
for name, scale in {"whole": 1.0, "half": 0.5, "tenth": 0.1}.items():
    with tf.GradientTape() as tape:
        loss = scale_gradient(tf.reduce_sum(weights**2) / 2, scale)
    gradient = tape.gradient(loss, weights)
    print(f"{name}:", tf.norm(gradient).numpy())
    print(f"{name}_clipped:", tf.norm(tf.clip_by_norm(gradient, 1.0)).numpy())
