import tensorflow as tf


def update(weight, steps):
    """One step of gradient descent; return the gradient."""
    with tf.GradientTape() as tape:
        position, total_loss = tf.constant(0.0), 0.0
        for k in range(1, steps + 1):
            position = position + weight  # where we believe to be
            total_loss += (position - 2.0 * k) ** 2  # where we are
    gradient = tape.gradient(total_loss, weight)
    weight.assign_sub(0.05 * gradient)
    return gradient.numpy()


for steps in (1, 5):
    weight = tf.Variable(1.0)
    gradients = [update(weight, steps) for _ in range(20)]
    print(f"first_gradient_{steps}: {gradients[0]:g}")
    print(f"weight_{steps}: {weight.numpy():.3g}")
