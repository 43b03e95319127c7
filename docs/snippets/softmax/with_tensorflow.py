import tensorflow as tf


def softmax(x):
    largest = tf.stop_gradient(tf.reduce_max(x, axis=-1, keepdims=True))
    e = tf.exp(x - largest)
    return e / tf.reduce_sum(e, axis=-1, keepdims=True)


def log_sum_exp(x):
    largest = tf.stop_gradient(tf.reduce_max(x, axis=-1, keepdims=True))
    total = tf.reduce_sum(tf.exp(x - largest), axis=-1, keepdims=True)
    return tf.squeeze(largest + tf.math.log(total), axis=-1)


x = tf.constant([1000.0, 1000.0, 0.0])
print("softmax:", softmax(x).numpy())
print("tf_softmax:", tf.nn.softmax(x).numpy())
print("log_sum_exp:", log_sum_exp(x).numpy())
print("tf_log_sum_exp:", tf.reduce_logsumexp(x, axis=-1).numpy())
