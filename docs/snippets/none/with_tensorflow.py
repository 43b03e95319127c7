import tensorflow as tf

from gradvalve.explain import explain_gradient

w = tf.Variable(2.0)
b = tf.Variable(1.0)


def loss(x):
    target = tf.round(w * x)
    return (x + b - target) ** 2


print(explain_gradient(loss, 3.0))
