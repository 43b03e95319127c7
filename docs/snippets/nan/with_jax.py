import jax
import jax.numpy as jnp


def masked_output(x):
    return jnp.where(x > 0, jnp.log(x), 0.0).sum()


def masked_input(x):
    safe = jnp.where(x > 0, x, 1.0)
    return jnp.where(x > 0, jnp.log(safe), 0.0).sum()


x = jnp.array([0.0, 2.0])
print("masked_output:", jax.grad(masked_output)(x).tolist())
print("masked_input:", jax.grad(masked_input)(x).tolist())
