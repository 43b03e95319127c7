import jax
import jax.numpy as jnp

from gradvalve.jax import scale_gradient


def cube(x, scale):
    return scale_gradient(x, scale=scale) ** 3


scales = jnp.array([0.5, -1.0])
assert scale_gradient(jnp.inf, -1) == jnp.inf
assert jax.jit(jax.grad(cube))(1.5, 0.5) == 3.375
assert jax.grad(jax.grad(cube))(1.5, 0.5) == 2.25
assert jax.jacfwd(cube)(1.5, 0.5) == 3.375
slopes = jax.vmap(jax.grad(cube), (None, 0))(1.5, scales)
assert slopes.tolist() == [3.375, -6.75]
assert jax.grad(lambda x: jnp.sqrt(scale_gradient(x, 0)))(0.0) == 0
print("passed")
