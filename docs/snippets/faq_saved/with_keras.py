import keras
import tensorflow as tf

from gradvalve.keras import StopGradient

below = keras.layers.Dense(1, use_bias=False, name="below")
above = keras.layers.Dense(1, use_bias=False, name="above")
model = keras.Sequential([keras.Input([3]), below, StopGradient(), above])
model.save("model.keras")

loaded = keras.saving.load_model("model.keras")
with tf.GradientTape(persistent=True) as tape:
    loss = tf.reduce_sum(loaded(tf.ones([2, 3])) ** 2)

for name in ("below", "above"):
    gradient = tape.gradient(loss, loaded.get_layer(name).kernel)
    print(f"{name}:", None if gradient is None else gradient.shape)
