import tensorflow as tf

from gradvalve.tensorflow import scale_gradient, stop_gradient

weights = {"kernel": tf.Variable(3.0), "bias": tf.Variable(1.0), "step": tf.constant(7)}
with tf.GradientTape() as tape:
    halved = scale_gradient(weights, 0.5)
    loss = halved["kernel"] ** 2 + halved["bias"]

kernel, bias = tape.gradient(loss, [weights["kernel"], weights["bias"]])
print("kernel:", kernel.numpy())
print("bias:", bias.numpy())
print("step:", halved["step"].numpy())

pair = [tf.constant(1.0), tf.constant(2.0)]
print("gradvalve:", [float(tensor) for tensor in stop_gradient(pair)])
print("tf:", tf.stop_gradient(pair))
