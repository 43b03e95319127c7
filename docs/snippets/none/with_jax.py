import jax

stopped = jax.grad(lambda x: 3 * jax.lax.stop_gradient(x))(2.0)
unused = jax.grad(lambda _: 3.0)(2.0)
rounded = jax.grad(jax.numpy.round)(2.3)

print("stopped:", stopped)
print("unused:", unused)
print("rounded:", rounded)
print(jax.make_jaxpr(lambda x: 3 * jax.lax.stop_gradient(x))(2.0))
