import tensorflow as tf

from gradvalve.explain import explain_gradient

state = tf.Variable(0.0, trainable=False)


def loss(stopped, integer, rounded, compared, scores, stored, overwritten):
    total = tf.square(overwritten)
    total = 3 * tf.stop_gradient(stopped)
    total += float(int(integer))
    total += tf.round(rounded)
    total += tf.where(compared > 1, 2.0, 3.0)
    total += tf.gather([4.0, 5.0], tf.argmax(scores))
    state.assign(stored)
    return total + state


print(explain_gradient(loss, 1.0, 1.3, 1.3, 2.0, tf.constant([1.0, 2.0]), 3.0, 4.0))


def left(x, y):
    return x.numpy() * y


print(explain_gradient(left, 1.0, 2.0))
