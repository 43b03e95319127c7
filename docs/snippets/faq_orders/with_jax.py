import jax

from gradvalve.jax import scale_gradient


@jax.custom_vjp
def short_rule(x):
    return x


short_rule.defvjp(lambda x: (x, None), lambda _, gradient: (0.5 * gradient,))


def right(x):
    return scale_gradient(x, 0.5) ** 3


def short(x):
    return short_rule(x) ** 3


print("right_first:", jax.grad(right)(1.5))
print("short_first:", jax.grad(short)(1.5))
print("right_second:", jax.hessian(right)(1.5))
print("short_second:", jax.hessian(short)(1.5))
print("right_forward:", jax.jacfwd(right)(1.5))
try:
    jax.jacfwd(short)(1.5)
except TypeError as error:
    print("short_forward:", str(error).splitlines()[0])
