import functools

import jax
import jax.numpy as jnp

from gradvalve.jax import scale_gradient


@functools.partial(jax.custom_vjp, nondiff_argnums=(1,))
def short(x, scale):
    return forward(x, scale)[0]


def forward(x, _):
    return x, None


def backward(scale, _, gradient):
    return (scale * gradient,)


short.defvjp(forward, backward)


def report(check, function, x=1.5):
    try:
        print(f"{check}:", function(x))
    except Exception as error:
        print(f"{check}:", type(error).__name__)


def report_all(name, operation):
    def cube(x, scale=0.5):
        return operation(x, scale) ** 3

    slope = jax.grad(cube)
    report(f"{name}_first", slope)
    report(f"{name}_second", jax.grad(slope))
    report(f"{name}_forward", jax.jacfwd(cube))
    report(f"{name}_compiled", jax.jit(slope))
    report(f"{name}_per_scale", lambda x: jax.vmap(slope, (None, 0))(x, jnp.array([0.5]))[0])
    report(f"{name}_keyword", jax.grad(lambda x: operation(x=x, scale=0.5) ** 3))
    report(f"{name}_zero", jax.grad(lambda x: jnp.sqrt(operation(x, 0.0))), x=0.0)


report_all("short", short)
report_all("gradvalve", scale_gradient)
