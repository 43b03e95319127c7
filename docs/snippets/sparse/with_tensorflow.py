import tensorflow as tf

from gradvalve.tensorflow import scale_gradient

embedding = tf.Variable(tf.ones([1000, 2]))
with tf.GradientTape() as tape:
    rows = tf.gather(scale_gradient(embedding, 0.5), [7, 42])
    loss = tf.reduce_sum(rows)

gradient = tape.gradient(loss, embedding)
print("type:", type(gradient).__name__)
print("rows:", gradient.indices.numpy().tolist())
print("values:", gradient.values.numpy().tolist())
