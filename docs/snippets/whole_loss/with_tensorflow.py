import keras
import tensorflow as tf

from gradvalve.tensorflow import scale_gradient


def ten_steps(optimizer, scale):
    x = tf.Variable(2.0, dtype="float64")
    for _ in range(10):
        with tf.GradientTape() as tape:
            loss = scale_gradient(x**2, scale)
        optimizer.apply_gradients([(tape.gradient(loss, x), x)])
    return x.numpy()


print(f"sgd: {ten_steps(keras.optimizers.SGD(0.2), 1):.6f}")
print(f"sgd_scaled: {ten_steps(keras.optimizers.SGD(0.2), 0.5):.6f}")
print(f"sgd_half_rate: {ten_steps(keras.optimizers.SGD(0.1), 1):.6f}")
print(f"adam: {ten_steps(keras.optimizers.Adam(0.2), 1):.6f}")
print(f"adam_half: {ten_steps(keras.optimizers.Adam(0.2), 0.5):.6f}")
print(f"adam_ten_millionth: {ten_steps(keras.optimizers.Adam(0.2), 1e-7):.6f}")
