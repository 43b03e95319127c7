import keras
import numpy as np

from gradvalve.keras import ScaleGradient

valve = ScaleGradient(1.0, name="valve")
dense = keras.layers.Dense
model = keras.Sequential([dense(8), valve, dense(1)])
model.compile("sgd", "mse")

anneal = keras.callbacks.LambdaCallback(
    on_epoch_begin=lambda epoch, _: valve.scale.assign(1 / (1 + epoch))
)
x, y = np.ones([4, 3]), np.zeros([4, 1])
model.fit(x, y, epochs=4, callbacks=[anneal], verbose=0)
model.save("model.keras")

loaded = keras.saving.load_model("model.keras")
print("loaded_scale:", loaded.get_layer("valve").scale.numpy())
