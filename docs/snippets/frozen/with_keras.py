import warnings

import keras
import tensorflow as tf

warnings.filterwarnings("ignore", "Gradients do not exist")  # Keras warns of a None
optimizers = {
    "sgd": lambda: keras.optimizers.SGD(0.1),
    "momentum": lambda: keras.optimizers.SGD(0.1, momentum=0.9),
    "sgd_decay": lambda: keras.optimizers.SGD(0.1, weight_decay=0.5),
    "adam": lambda: keras.optimizers.Adam(0.1),
    "adam_decay": lambda: keras.optimizers.Adam(0.1, weight_decay=0.5),
    "adamw": lambda: keras.optimizers.AdamW(0.1, weight_decay=0.5),
}


def second_step(optimizer, gradient):
    """How far a weight moves after a first step with the gradient 1."""
    weight, other, one = keras.Variable(1.0), keras.Variable(1.0), tf.constant(1.0)
    optimizer.apply([one, one], [weight, other])
    before = float(weight)
    optimizer.apply([gradient, one], [weight, other])
    return round(float(weight) - before, 3)


for name, optimizer in optimizers.items():
    print(f"{name}_zero:", second_step(optimizer(), tf.constant(0.0)))
    print(f"{name}_none:", second_step(optimizer(), None))
