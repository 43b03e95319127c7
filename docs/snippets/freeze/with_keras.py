import warnings

import keras
import numpy as np

from gradvalve.keras import StopGradient

warnings.filterwarnings("ignore", "Gradients do not exist")  # Keras warns of a None


def weights_after_a_step(stop=False, freeze=False):
    first, middle, last = [
        keras.layers.Dense(1, use_bias=False, kernel_initializer="ones") for _ in range(3)
    ]
    middle.trainable = not freeze  # before compile
    between = [StopGradient()] if stop else []
    model = keras.Sequential([first, middle, *between, last])
    model.compile(keras.optimizers.AdamW(0.1, weight_decay=0.5), "mse")
    model.fit(np.ones((1, 1)), np.zeros((1, 1)), verbose=0)
    return [round(weights.item(), 2) for weights in model.get_weights()]


print("frozen:", weights_after_a_step(freeze=True))
print("stopped:", weights_after_a_step(stop=True))
