import warnings

import keras
import tensorflow as tf

warnings.filterwarnings("ignore", "Gradients do not exist")  # Keras warns of a None

for gradient in (tf.constant(0.0), None):
    weight, other = keras.Variable(1.0), keras.Variable(1.0)
    optimizer = keras.optimizers.SGD(learning_rate=0.1, weight_decay=0.5)
    optimizer.apply([gradient, tf.constant(1.0)], [weight, other])
    print("none:" if gradient is None else "zero:", round(float(weight), 2))
