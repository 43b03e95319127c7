import tensorflow as tf

from gradvalve.tensorflow import scale_gradient, stop_gradient

log = tf.math.log
x = tf.Variable([0.0, 2.0])
functions = {
    "not_stopped": log,
    "stopped_input": lambda x: log(stop_gradient(x)),
    "stopped_output": lambda x: stop_gradient(log(x)),
    "scaled_input": lambda x: log(scale_gradient(x, 0)),
    "scaled_output": lambda x: scale_gradient(log(x), 0),
    "masked_input": lambda x: log(tf.where(x > 0, x, 1.0)),
}
for name, function in functions.items():
    with tf.GradientTape() as tape:
        y = tf.where(x > 0, function(x), 0.0)
    gradient = tape.gradient(y, x)
    print(f"{name}:", None if gradient is None else gradient.numpy().tolist())
