import tensorflow as tf

from gradvalve.tensorflow import scale_gradient

K = 4
weight = tf.Variable(1.0)

with tf.GradientTape() as tape:
    hidden_state, total = tf.constant(0.0), tf.constant(0.0)
    for _ in range(K):
        hidden_state = hidden_state + weight  # the dynamics function
        loss = hidden_state  # the prediction heads read the state
        total += scale_gradient(loss, 1 / K)
        hidden_state = scale_gradient(hidden_state, 0.5)  # after they have read it

print("value:", total.numpy())
print("gradient:", tape.gradient(total, weight).numpy())
