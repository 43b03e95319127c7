import keras
import tensorflow as tf

from gradvalve.tensorflow import scale_gradient


def end_of_training(loss, optimizer):
    w = tf.Variable(0.5)

    @tf.function
    def gradient():
        with tf.GradientTape() as tape:
            value = loss(w)
        return tape.gradient(value, w)

    for _ in range(200):
        optimizer.apply_gradients([(gradient(), w)])
    return round(float(w), 3)


def two_losses(scale):
    return lambda w: scale_gradient((w - 1) ** 2, scale) + (w + 1) ** 2


def one_loss(scale):
    return lambda w: scale_gradient((w - 1) ** 2, scale)


SGD, Adam, AdamW = keras.optimizers.SGD, keras.optimizers.Adam, keras.optimizers.AdamW
print("two:", end_of_training(two_losses(1.0), SGD(0.1)))
print("two_half_rate:", end_of_training(two_losses(1.0), SGD(0.05)))
print("two_scaled:", end_of_training(two_losses(0.5), SGD(0.1)))
print("two_scaled_adam:", end_of_training(two_losses(0.5), Adam(0.1)))
print("decay:", end_of_training(one_loss(1.0), SGD(0.1, weight_decay=0.5)))
print("decay_half_rate:", end_of_training(one_loss(1.0), SGD(0.05, weight_decay=0.5)))
print("decay_scaled:", end_of_training(one_loss(0.5), SGD(0.1, weight_decay=0.5)))
print("decay_adamw:", end_of_training(one_loss(1.0), AdamW(0.1, weight_decay=0.5)))
print("decay_scaled_adamw:", end_of_training(one_loss(0.5), AdamW(0.1, weight_decay=0.5)))
