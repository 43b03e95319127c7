import keras
import tensorflow as tf

from gradvalve.keras import ScaleGradient, StopGradient


def exported(layer):
    inputs = keras.Input([1])
    model = keras.Model(inputs, keras.ops.square(layer(inputs)))
    model.export("exported", verbose=False)
    return tf.saved_model.load("exported")


layers = {"scaled": ScaleGradient(0.5), "stopped": StopGradient()}
for name, layer in layers.items():
    model = exported(layer)
    x = tf.Variable([[3.0]])
    with tf.GradientTape() as tape:
        y = model.serve(x)
    gradient = tape.gradient(y, x)
    print(f"{name}_value:", y.numpy())
    print(f"{name}_gradient:", gradient and gradient.numpy())
