import keras
import tensorflow as tf

from gradvalve.tensorflow import scale_gradient, stop_gradient

x = tf.zeros([2, 3])
mistakes = {
    "too_large": lambda: scale_gradient(x, tf.ones([4, 3])),
    "text": lambda: scale_gradient(x, "half"),
    "complex": lambda: scale_gradient(x, 0.5j),
    "not_a_tensor": lambda: stop_gradient({"x": x, "name": None}),
    "symbolic": lambda: stop_gradient(keras.Input([3])),
}

for name, mistake in mistakes.items():
    try:
        mistake()
    except (TypeError, ValueError) as error:
        print(f"{name}: {type(error).__name__}: {error}\n")
