import jax

from gradvalve.jax import scale_gradient

stopped = jax.grad(lambda x: x * jax.lax.stop_gradient(x))
halved = jax.grad(lambda x: scale_gradient(x, 0.5) ** 2)

print("stopped:", stopped(3.0))
print("halved:", halved(3.0))
