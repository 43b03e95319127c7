"""What the layers promise with JAX alone; test_keras_backends.py runs it."""

import jax
import jax.numpy as jnp
import keras
import pytest

from tests.operations.comparing import covers
from tests.operations.test_keras import (  # noqa: F401
    Annealed,
    ScaleGradient,
    StopGradient,
    after_steps,
    fitted,
    functional,
    pytestmark,
)


def cube(x):
    return ScaleGradient(0.5)(x) ** 3


@covers("C37")
def test_every_mode_is_scaled():
    assert jax.jacfwd(cube)(1.5) == 3.375
    assert jax.hessian(cube)(1.5) == jax.jacfwd(jax.jacfwd(cube))(1.5) == 2.25
    assert jax.jacfwd(StopGradient())(1.5) == 0


def test_the_rule_of_keras_itself_has_neither():
    @keras.ops.custom_gradient
    def halved(x):
        return x, lambda upstream: 0.5 * upstream

    assert jax.grad(jax.grad(lambda x: halved(x) ** 3))(1.5) == 4.5
    with pytest.raises(TypeError, match="forward-mode"):
        jax.jacfwd(halved)(1.5)


def test_a_loop_keeps_the_rule_at_second_order():
    layer = ScaleGradient(0.5)

    def thrice(h):
        return jax.lax.scan(lambda h, _: (layer(2 * h), None), h, length=3)[0]

    assert jax.grad(jax.grad(lambda h: thrice(h) ** 2))(1.0) == 2


@pytest.mark.parametrize("shape", [(), (3,), (2, 1)], ids=str)
@pytest.mark.parametrize("of_x", [True, False], ids=["of x too", "of scales alone"])
def test_scales_may_be_vectorised(shape, of_x):
    layer = ScaleGradient(jnp.ones(shape))
    scales = jnp.stack([jnp.full(shape, 0.5), jnp.full(shape, -2.0)])

    def gradient(scale, x):
        return jax.grad(lambda x: layer.stateless_call([], [scale], x)[0].sum())(x)

    x = jnp.ones([2, 2, 3] if of_x else [2, 3])
    result = jax.vmap(gradient, (0, 0 if of_x else None))(scales, x)

    assert result.shape == (2, 2, 3)
    assert (result[0] == 0.5).all()
    assert (result[1] == -2).all()


def test_two_devices_give_the_gradient_of_one():
    scales = [1.0, 0.5, -0.25]

    distribution = keras.distribution.DataParallel(devices=["cpu:0", "cpu:1"])
    with distribution.scope():
        layer = ScaleGradient(5)
        model = functional(layer)
        result = fitted(model, 3, [Annealed(layer, scales)])

    assert len(model.layers[1].kernel.value.devices()) == 2
    assert result == pytest.approx(after_steps(scales))


def test_sparse_tensors_are_mapped_over_their_values():
    from jax.experimental.sparse import BCOO

    x = BCOO.fromdense(jnp.eye(2))

    y, gradient = jax.value_and_grad(
        lambda v: ScaleGradient(0.5)(BCOO((v, x.indices), shape=x.shape)).data.sum()
    )(x.data)
    assert (y, gradient.tolist()) == (2, [0.5, 0.5])
