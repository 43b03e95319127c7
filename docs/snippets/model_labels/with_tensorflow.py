import tensorflow as tf

logits = tf.Variable([1.0, 2.0])
with tf.GradientTape(persistent=True) as tape:
    labels = tf.nn.softmax(logits)  # computed by the model itself
    wrong = tf.nn.softmax_cross_entropy_with_logits(labels, logits)
    labels = tf.stop_gradient(labels)
    right = tf.nn.softmax_cross_entropy_with_logits(labels, logits)


def rounded(gradient):
    return [round(entry, 3) + 0.0 for entry in gradient.numpy().tolist()]


print("not_stopped:", rounded(tape.gradient(wrong, logits)))
print("stopped:", rounded(tape.gradient(right, logits)))
