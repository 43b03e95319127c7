import tensorflow as tf

masked = tf.Variable([[2.0, 1.0, -float("inf")], [-float("inf")] * 3])
with tf.GradientTape() as tape:
    has_entry = tf.reduce_max(masked, axis=-1, keepdims=True) > -float("inf")
    replaced = tf.nn.softmax(tf.where(has_entry, masked, 0.0))
    loss = tf.reduce_sum(replaced[:, 0])


def rows(tensor):
    return [[round(y, 3) + 0.0 for y in row] for row in tensor.numpy().tolist()]


print("plain:", rows(tf.nn.softmax(masked)))
print("replaced:", rows(replaced))
print("gradient:", rows(tape.gradient(loss, masked)))
