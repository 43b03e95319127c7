import math

import tensorflow as tf


def naive_softmax(x):
    return tf.exp(x) / tf.reduce_sum(tf.exp(x))


for entry in (87.0, 88.0, 89.0):
    result = naive_softmax(tf.fill([3], entry)).numpy().tolist()
    print(f"at_{entry:.0f}:", [round(y, 3) for y in result])

print("limit_float32:", round(math.log(tf.float32.max), 2))
print("limit_float64:", round(math.log(tf.float64.max), 2))
