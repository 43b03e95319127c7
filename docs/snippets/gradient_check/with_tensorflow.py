import tensorflow as tf

from gradvalve.tensorflow import scale_gradient

x = tf.constant(3.0)
number = 3.0  # what x is, held fixed while finite differences vary x


def derivatives(function):
    """Return the derivative by the tape, and by finite differences of the value."""
    by_tape, by_differences = tf.test.compute_gradient(function, [x], delta=2**-6)
    return by_tape[0].item(), by_differences[0].item()


for name, scale in {"open": 1.0, "half": 0.5, "closed": 0.0}.items():
    by_tape, by_differences = derivatives(lambda x, s=scale: x * scale_gradient(x, s))
    stand_in = derivatives(lambda x, s=scale: x * (s * x + (1 - s) * number))
    print(f"{name}_tape:", by_tape)
    print(f"{name}_differences:", by_differences)
    print(f"{name}_stand_in:", stand_in[1])
