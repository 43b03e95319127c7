import jax
import optax

stopped = jax.grad(lambda x: x * jax.lax.stop_gradient(x))
halved = jax.grad(lambda x: optax.scale_gradient(x, 0.5) ** 2)

print("stopped:", stopped(3.0))
print("halved:", halved(3.0))
