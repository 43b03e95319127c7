import tensorflow as tf


def three_gradients(loss, formula, branch, w):
    """Of the loss; of its formula with numbers in place of the branch; of the value."""
    numbers = branch(w).numpy()  # carry no gradient
    coded, true = tf.test.compute_gradient(loss, [w])  # by the tape, by finite differences
    constant, _ = tf.test.compute_gradient(lambda w: formula(w, numbers), [w])
    return coded[0], constant[0], true[0]


def both(x, m):
    return m + tf.math.log(tf.reduce_sum(tf.exp(x - m)))


def only_inner(x, m):
    return tf.reduce_max(x) + tf.math.log(tf.reduce_sum(tf.exp(x - m)))


def squared_error(w, target):
    return tf.reduce_sum((3 * w - target) ** 2)


kinds = {
    "exact": (both, tf.reduce_max, [1.0, 2.0]),
    "deliberate": (squared_error, lambda w: 1 + w, [2.0]),
    "wrong": (only_inner, tf.reduce_max, [1.0, 2.0]),
}
for kind, (formula, branch, start) in kinds.items():
    w = tf.constant(start, tf.float64)
    found = three_gradients(
        lambda w, f=formula, b=branch: f(w, tf.stop_gradient(b(w))), formula, branch, w
    )
    for name, gradient in zip(["coded", "constant", "true"], found, strict=True):
        print(f"{kind}_{name}:", gradient[0].round(3).tolist())
