import keras
import numpy as np

from gradvalve.keras import ScaleGradient

encoder = keras.layers.Dense(1, use_bias=False, kernel_initializer="ones")
head = keras.layers.Dense(1, use_bias=False, kernel_initializer="ones")

inputs = keras.Input([1])
outputs = head(ScaleGradient(0.5)(encoder(inputs)))
model = keras.Model(inputs, outputs)

model.compile(keras.optimizers.SGD(0.125), "mse")
model.fit(np.ones([1, 1]), np.zeros([1, 1]), verbose=0)

print("encoder_moved:", 1 - encoder.kernel.numpy().item())
print("head_moved:", 1 - head.kernel.numpy().item())
