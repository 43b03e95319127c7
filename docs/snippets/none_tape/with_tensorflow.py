import tensorflow as tf

x = tf.constant(3.0)
w = tf.Variable(3.0)
doubled = 2 * w

with tf.GradientTape(persistent=True) as tape:
    square = x**2
    late = doubled**2

print("not_watched:", tape.gradient(square, x))
print("computed_before:", tape.gradient(late, w))

with tf.GradientTape() as tape:
    tape.watch(x)
    square = x**2
print("watched:", tape.gradient(square, x).numpy())

with tf.GradientTape() as tape:
    late = (2 * w) ** 2
print("computed_inside:", tape.gradient(late, w).numpy())
