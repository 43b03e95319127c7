import tensorflow as tf


def scale_gradient(x, scale):
    @tf.custom_gradient
    def identity(tensor):
        return tf.stop_gradient(tensor), lambda gradient: scale * gradient

    return identity(x)


def dynamics_gradient(steps, state_scale, loss_scale):
    """Gradient for one weight that every unrolled step uses, each path counting 1."""
    weight = tf.Variable(0.0)
    with tf.GradientTape() as tape:
        hidden_state, total = tf.constant(0.0), tf.constant(0.0)
        for _ in range(steps):
            hidden_state = hidden_state + weight  # recurrent_inference
            loss = hidden_state  # what the prediction heads read
            total += scale_gradient(loss, loss_scale)
            hidden_state = scale_gradient(hidden_state, state_scale)
    return tape.gradient(total, weight).numpy()


for steps in (1, 5, 10, 50):
    print(f"neither_{steps}: {dynamics_gradient(steps, 1.0, 1.0):.2f}")
    print(f"loss_only_{steps}: {dynamics_gradient(steps, 1.0, 1 / steps):.2f}")
    print(f"state_only_{steps}: {dynamics_gradient(steps, 0.5, 1.0):.2f}")
    print(f"both_{steps}: {dynamics_gradient(steps, 0.5, 1 / steps):.2f}")
