import tensorflow as tf

from gradvalve.tensorflow import scale_gradient

x = tf.Variable(1.5)
with tf.GradientTape(persistent=True) as second:
    with tf.GradientTape(persistent=True) as first:
        values = {
            "plain": x**3,
            "inside": scale_gradient(x, 0.5) ** 3,
            "outside": scale_gradient(x**3, 0.5),
            "twice": scale_gradient(scale_gradient(x, 0.5), 0.5) ** 3,
        }
    slopes = {name: first.gradient(value, x) for name, value in values.items()}

for name, value in values.items():
    print(f"{name}_value:", value.numpy())
    print(f"{name}_first:", slopes[name].numpy())
    print(f"{name}_second:", second.gradient(slopes[name], x).numpy())

w = tf.Variable(4.0)
with tf.GradientTape(persistent=True) as tape:
    input_side = w * scale_gradient(x, 0.5)
    output_side = scale_gradient(w * x, 0.5)

print("input_side:", [gradient.numpy().item() for gradient in tape.gradient(input_side, [x, w])])
print("output_side:", [gradient.numpy().item() for gradient in tape.gradient(output_side, [x, w])])
