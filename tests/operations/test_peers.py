"""What our pages say of other libraries is still so. A failure is good news: mend the pages."""

import warnings

import jax
import jax.numpy as jnp
import numpy as np
import optax
import pytest
import tensorflow as tf

from tests.operations import in_jax, in_tensorflow
from tests.operations.comparing import covers

with warnings.catch_warnings(action="ignore"):  # it uses what Python is about to drop
    import sonnet


def plain_jvp_rule():
    """Return the scaling by ½ that the documentation of JAX would have one write."""

    @jax.custom_jvp
    def halved(x):
        return x

    @halved.defjvp
    def rule(primals, tangents):
        return halved(*primals), 0.5 * tangents[0]

    return halved


# Optax


def optax_gradient(scale):
    return jax.grad(lambda x: optax.scale_gradient(x, scale) ** 2)(3.0)


def test_optax_scales():
    assert optax_gradient(0.5) == 3


@covers("P11")
@pytest.mark.parametrize("transform", [jax.jit, jax.vmap])
def test_optax_refuses_a_traced_scale(transform):
    with pytest.raises(jax.errors.TracerBoolConversionError):
        transform(optax_gradient)(jnp.array([0.5]))


@covers("P11")
def test_optax_refuses_a_vector_of_scales():
    with pytest.raises(ValueError, match="truth value"):
        optax.scale_gradient(jnp.ones(2), jnp.array([0.5, 1.0]))


@covers("C37")
@pytest.mark.parametrize("derivative", [jax.jacfwd, jax.hessian])
def test_optax_refuses_forward_mode(derivative):
    with pytest.raises(TypeError, match="forward-mode"):
        derivative(lambda x: optax.scale_gradient(x, 0.5) ** 3)(1.5)


@covers("P09")
def test_optax_widens_the_gradient_of_a_half_type():
    scale = jnp.float32(0.5)

    _, backward = jax.vjp(lambda x: optax.scale_gradient(x, scale), jnp.ones(2, jnp.bfloat16))

    assert backward(jnp.ones(2, jnp.bfloat16))[0].dtype == jnp.float32


@covers("P10")
def test_optax_refuses_an_integer_leaf():
    def loss(nest):
        return jnp.sum(optax.scale_gradient(nest, 0.5)["x"])

    with pytest.raises(TypeError, match="ufunc 'multiply'"):
        jax.grad(loss, allow_int=True)({"x": jnp.ones(2), "n": jnp.arange(2)})


@covers("C71")
def test_optax_discards_the_gradients_that_a_stop_spares():
    """Two layers: two products forward, two for the last's weights and input, one for the first."""
    weights, batch = {"first": jnp.ones((2, 2)), "last": jnp.ones((2, 2))}, jnp.ones((3, 2))
    optimizer = optax.multi_transform(
        {"train": optax.sgd(0.1), "freeze": optax.set_to_zero()},
        {"first": "freeze", "last": "train"},
    )
    state = optimizer.init(weights)

    def loss(first, last):
        return jnp.sum(jnp.tanh(batch @ first) @ last)

    def set_to_zero(first, last):
        to_first, to_last = jax.grad(loss, (0, 1))(first, last)
        return optimizer.update({"first": to_first, "last": to_last}, state)

    def stopped(first, last):
        function = jax.grad(lambda first, last: loss(in_jax.stop_gradient(first), last), (0, 1))
        return function(first, last)

    def products(step):
        program = jax.make_jaxpr(step)(*weights.values())
        return sum(each.primitive.name == "dot_general" for each in program.eqns)

    assert products(set_to_zero) == 5
    assert products(stopped) == products(jax.grad(loss, 1)) == 3


def test_optax_takes_a_complex_scale():
    assert optax_gradient(0.5j) == 3j


def test_optax_stops_an_infinite_gradient():
    """A scale of 0 is a special case there: right, as in ours."""
    _, backward = jax.vjp(lambda x: optax.scale_gradient(x, 0.0), 1.0)

    assert backward(jnp.inf)[0] == 0


def test_optax_rounds_a_small_scale_to_0_in_a_half_type():
    _, backward = jax.vjp(lambda x: optax.scale_gradient(x, 1e-8), jnp.float16(1))

    assert backward(jnp.float16(10_000))[0] == 0


# Sonnet 2


def sonnet_square(x, scale=0.5):
    return sonnet.scale_gradient(x, scale) ** 2


@covers("P06")
@pytest.mark.parametrize("dtype", [tf.float16, tf.bfloat16, tf.float64], ids=lambda d: d.name)
def test_sonnet_scales_only_float32_in_a_function(dtype):
    step = in_tensorflow.gradient(sonnet_square)

    assert step(tf.constant(3, dtype)) == 3
    assert tf.function(step)(tf.constant(3.0)) == 3
    with pytest.raises(TypeError, match="does not match type"):
        tf.function(step)(tf.constant(3, dtype))


@covers("P02")
@pytest.mark.parametrize("mode", [lambda function: function, tf.function], ids=["eager", "graph"])
def test_sonnet_does_not_scale_forward_mode(mode):
    assert mode(in_tensorflow.jvp(sonnet_square))(tf.constant(3.0)) == 6


@covers("C52")
def test_sonnet_takes_no_keywords():
    x = tf.constant(3.0)

    by_name = in_tensorflow.gradient(lambda x: sonnet.scale_gradient(t=x, scale=0.5) ** 2)
    scale_by_name = in_tensorflow.gradient(lambda x: sonnet.scale_gradient(x, scale=0.5) ** 2)

    assert by_name(x) == 6  # unscaled, silently
    with pytest.raises(ValueError, match="expected to return 1 gradients"):
        scale_by_name(x)
    with pytest.raises(ValueError, match="keywords arguments only when eager"):
        tf.function(scale_by_name)(x)


def test_sonnet_makes_nan_of_zero_times_infinity():
    step = in_tensorflow.gradient(lambda x: tf.sqrt(sonnet.scale_gradient(x, 0.0)))

    assert np.isnan(step(tf.constant(0.0)))


def test_sonnet_lets_a_scale_enlarge_the_gradient():
    step = in_tensorflow.gradient(lambda x: sonnet.scale_gradient(x, tf.ones(2)))

    assert step(tf.constant(1.0)).shape == [2]


@covers("C121")
def test_sonnet_breaks_sparse_gradients():
    def lookup(scale):
        function = in_tensorflow.gradient(
            lambda table: tf.gather(sonnet.scale_gradient(table, scale), [1, 1])
        )
        return function(tf.ones([3, 2]))

    with pytest.raises(TypeError, match="IndexedSlices"):
        lookup(0.5)
    assert tf.is_tensor(lookup(tf.constant(0.5)))  # dense, silently


# JAX and TensorFlow themselves


def twice_differentiated(operation, loop):
    """h ← operation(2h) three times, by a loop or not; the second derivative of its square at 1.

    Halved by the operation, it is 2.
    """

    def thrice(h):
        if loop:
            return jax.lax.scan(lambda h, _: (operation(2 * h), None), h, length=3)[0]
        return operation(2 * operation(2 * operation(2 * h)))

    return jax.grad(jax.grad(lambda h: thrice(h) ** 2))(1.0)


def test_a_plain_jvp_rule_is_forgotten_in_a_scan():
    rule = plain_jvp_rule()

    assert twice_differentiated(rule, loop=False) == 2
    assert twice_differentiated(rule, loop=True) == 16
    assert twice_differentiated(lambda x: in_jax.scale_gradient(x, 0.5), loop=True) == 2


@covers("P18")
def test_tensorflow_stacks_a_list():
    assert tf.stop_gradient([tf.ones(2), tf.ones(2)]).shape == [2, 2]


@covers("C21")
def test_keras_refuses_a_dict():
    with pytest.raises(ValueError, match="dict"):
        tf.keras.ops.stop_gradient({"a": tf.ones(2)})
