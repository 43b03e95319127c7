import tensorflow as tf


def learned(stop_target, to_b=0.5):
    """Values of A, B and C after training on the expected loss: A leads to B or C."""
    value = tf.Variable([0.0, 0.0, 0.0])

    @tf.function
    def step():
        with tf.GradientTape() as tape:
            a, b, c = tf.unstack(value)
            target_b, target_c = [tf.stop_gradient(t) if stop_target else t for t in (b, c)]
            to_c = 1 - to_b
            loss = to_b * ((target_b - a) ** 2 + (1 - b) ** 2)  # B pays 1 and ends
            loss += to_c * ((target_c - a) ** 2 + (0 - c) ** 2)  # C pays 0 and ends
        value.assign_sub(0.2 * tape.gradient(loss, value))

    for _ in range(200):
        step()
    return [round(number, 2) for number in value.numpy().tolist()]


print("stopped:", learned(stop_target=True))
print("not_stopped:", learned(stop_target=False))
print("certain_stopped:", learned(stop_target=True, to_b=1.0))
print("certain_not_stopped:", learned(stop_target=False, to_b=1.0))
