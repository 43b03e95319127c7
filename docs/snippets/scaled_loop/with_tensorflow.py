import tensorflow as tf

from gradvalve.tensorflow import scale_gradient


def update(weight, steps, state_scale, loss_scale):
    """One step of gradient descent; return the gradient."""
    with tf.GradientTape() as tape:
        position, total_loss = tf.constant(0.0), 0.0
        for k in range(1, steps + 1):
            position = position + weight
            loss = (position - 2.0 * k) ** 2
            total_loss += scale_gradient(loss, loss_scale)
            position = scale_gradient(position, state_scale)
    gradient = tape.gradient(total_loss, weight)
    weight.assign_sub(0.05 * gradient)
    return gradient.numpy()


for name, state_scale, loss_scale in [
    ("loss_only", 1.0, 1 / 5),
    ("state_only", 0.5, 1.0),
    ("both", 0.5, 1 / 5),
]:
    weight = tf.Variable(1.0)
    gradients = [update(weight, 5, state_scale, loss_scale) for _ in range(20)]
    print(f"first_gradient_{name}: {gradients[0]:.5g}")
    print(f"weight_{name}: {weight.numpy():.3g}")
