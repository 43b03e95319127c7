import tensorflow as tf


@tf.custom_gradient
def short(x, scale):
    return tf.identity(x), lambda gradient: (scale * gradient, None)


def cube(x, scale=0.5):
    return short(x, scale) ** 3


def derivative(function):
    def at(x, *others):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = function(x, *others)
        return tape.gradient(y, x)

    return at


def forward(x):
    with tf.autodiff.ForwardAccumulator(x, tf.constant(1.0)) as accumulator:
        y = cube(x)
    return accumulator.jvp(y)


def report(check, function, x=1.5):
    try:
        print(f"{check}:", function(tf.constant(x)).numpy())
    except Exception as error:
        print(f"{check}:", type(error).__name__)


slope = derivative(cube)
report("first", slope)
report("second", derivative(slope))
report("forward", forward)
report("compiled", tf.function(slope))
report("per_scale", lambda x: tf.vectorized_map(lambda s: slope(x, s), tf.constant([0.5]))[0])
report("keyword", derivative(lambda x: short(x=x, scale=0.5) ** 3))
report("zero", derivative(lambda x: tf.sqrt(short(x, 0.0))), x=0.0)
