import math

import tensorflow as tf

from gradvalve.tensorflow import scale_gradient

encoder = tf.Variable(3.0)
classifier = tf.Variable(2.0)

with tf.GradientTape(persistent=True) as tape:
    losses = {
        "plain": classifier * encoder,
        "reversed": classifier * scale_gradient(encoder, -1.0),
        "subtracted": -(classifier * encoder),
    }

for name, loss in losses.items():
    gradients = tape.gradient(loss, [encoder, classifier])
    print(f"{name}:", [gradient.numpy().item() for gradient in gradients])

for progress in (0.1, 0.5):
    strength = 2 / (1 + math.exp(-10 * progress)) - 1
    print(f"scale_at_{progress}: {-strength:.3f}")
