import tensorflow as tf

prediction = tf.Variable(0.0)
target = tf.Variable(4.0)


def gradients(loss):
    with tf.GradientTape() as tape:
        value = loss()
    both = tape.gradient(value, [prediction, target])
    return [None if gradient is None else float(gradient) for gradient in both]


def both_move():
    return (prediction - target) ** 2


def only_the_prediction_moves():
    return (prediction - tf.stop_gradient(target)) ** 2


def result_dropped():
    tf.stop_gradient(target)
    return (prediction - target) ** 2


print("neither stopped:", gradients(both_move))
print("target stopped:", gradients(only_the_prediction_moves))
print("dropped:", gradients(result_dropped))
