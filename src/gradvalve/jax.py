"""Stop or scale gradients in JAX, without touching the forward value.

Two operations: `stop_gradient(x)` and `scale_gradient(x, scale)`. Both return `x` bit for bit; they
differ in what flows back: nothing, or the gradient times `scale`. The file needs JAX and nothing
else, so you can copy it into a project as it stands.

Why not the one-liner `x * scale + jax.lax.stop_gradient(x) * (1 - scale)`? It rounds the forward
value, makes nan of inf unless the scale lies between 0 and 1, and an array of scales changes the
type of the result. Why not five lines of `jax.custom_vjp`? They refuse forward mode, and with it
Hessians. And of `jax.custom_jvp`? In a `jax.lax.scan` the second derivative is wrong, silently.
"""

import jax
import jax.numpy as jnp
import numpy as np
from jax.extend.core import Primitive
from jax.interpreters import ad, batching, mlir

__all__ = ["scale_gradient", "stop_gradient"]

_LEAVES = (jax.Array, np.ndarray, np.generic, int, float, complex, str, bytes)


def stop_gradient(x):
    """Return `x` unchanged; on the way back it is a constant.

    Args:
        x: an array of any shape and dtype (or a NumPy array, a number), or a nest of them: dict,
            list, tuple, named tuple and whatever else is a pytree for JAX. A list is a nest, not
            an array.

    Returns:
        Arrays of the same values, shapes and dtypes, in the same structure. A NumPy array becomes
        one of JAX, which knows float64 only if `jax_enable_x64` is set.

    Gradient:
        Zeros, at every order and in both modes.

    Raises:
        TypeError: `x` holds something that is neither an array nor a number or string.

    Example:
        >>> float(jax.grad(lambda x: x * stop_gradient(x))(3.0))
        3.0

    Source:
        https://docs.jax.dev/en/latest/_autosummary/jax.lax.stop_gradient.html, which refuses
        strings.
    """
    return _map(jax.lax.stop_gradient, x)


def scale_gradient(x, scale):
    """Return `x` unchanged; on the way back the gradient is multiplied by `scale`.

    Args:
        x: an array of any shape and dtype or a nest of them, as for `stop_gradient`. Integers,
            booleans and strings pass untouched.
        scale: a real number, or an array of real numbers whose shape broadcasts to the shape of
            every array in `x` that has a gradient. Below 0 it reverses the gradient. It may be
            traced: an argument of a function under `jax.jit`, `jax.vmap` or `jax.lax.scan` may
            change from call to call without retracing.

    Returns:
        Arrays of the same values, shapes and dtypes, in the same structure. A NumPy array becomes
        one of JAX, which knows float64 only if `jax_enable_x64` is set.

    Gradient:
        With respect to `x`: `scale` times the incoming gradient, in its dtype; half types are
        multiplied in float32. A scale of 0 gives zeros, even where the incoming gradient is inf or
        nan. Forward mode is scaled alike, and every further derivative through the operation is
        scaled again.
        With respect to `scale`: zeros, since the result doesn't depend on it.

    Raises:
        TypeError: `scale` is complex, boolean or not a number; or `x` is refused as by
            `stop_gradient`.
        ValueError: `scale` doesn't broadcast to the shape of `x`.

    Example:
        >>> y, gradient = jax.value_and_grad(lambda x: scale_gradient(x, 0.5) ** 2)(3.0)
        >>> float(y), float(gradient)
        (9.0, 3.0)

    Source:
        The pseudocode of MuZero (Schrittwieser et al., Mastering Atari, Go, chess and shogi by
        planning with a learned model, Nature 588, 2020) calls `scale_gradient(hidden_state, 0.5)`.
    """
    scale = _checked_scale(scale)
    return _map(lambda array: _scale_p.bind(array, _broadcastable(scale, array)), x)


def _map(operation, x):
    """Apply `operation` to every array in the nest `x` that carries a gradient."""
    return jax.tree.map(
        lambda leaf: operation(jnp.asarray(leaf)) if _has_gradient(leaf) else leaf, x
    )


def _has_gradient(leaf):
    if not isinstance(leaf, _LEAVES):
        kind = type(leaf).__name__
        layers = "gradvalve.keras.ScaleGradient(scale) and StopGradient()"
        hint = f"; for it there are the layers {layers}" if kind == "KerasTensor" else ""
        raise TypeError(
            "x must be an array or a nest (dict, list, tuple, ...) of arrays, "
            f"but holds an object of type {kind}{hint}"
        )
    return jax.dtypes.issubdtype(getattr(leaf, "dtype", type(leaf)), jnp.inexact)


def _checked_scale(scale):
    """Return `scale` as a float, or as an array of real numbers that has no gradient."""
    if isinstance(scale, (int, float)) and not isinstance(scale, bool):
        return float(scale)
    try:
        scale = jnp.asarray(scale)
    except (TypeError, ValueError) as error:
        raise TypeError(
            "scale must be a real number or an array of real numbers, "
            f"but is an object of type {type(scale).__name__}"
        ) from error
    if not any(jnp.issubdtype(scale.dtype, real) for real in (jnp.floating, jnp.integer)):
        raise TypeError(
            "scale must be a real number or an array of real numbers, "
            f"but has dtype {scale.dtype.name}"
        )
    return jax.lax.stop_gradient(scale)


def _broadcastable(scale, x):
    """Return `scale`, or raise if it would enlarge `x`."""
    shape = jnp.shape(scale)
    sizes = zip(reversed(shape), reversed(x.shape), strict=False)
    if len(shape) > x.ndim or not all(s in (1, n) for s, n in sizes):
        raise ValueError(
            f"scale of shape {shape} doesn't broadcast to x of shape {x.shape}: "
            "counted from the last, each of its dimensions must be 1 or that of x"
        )
    return scale


# A primitive of its own, because jax.lax.scan forgets the rule of a jax.custom_jvp once it is
# differentiated in reverse mode: the second derivative would pass unscaled, silently.
_scale_p = Primitive("scale_gradient")
_scale_p.def_impl(lambda x, _: x)
_scale_p.def_abstract_eval(lambda x, _: x)
mlir.register_lowering(_scale_p, lambda _context, x, _: [x])


# A rule for the tangent serves both modes, since JAX transposes it.
def _tangent_rule(primals, tangents):
    x, scale = primals
    tangent, _ = tangents
    if not isinstance(tangent, ad.Zero):
        tangent = _times(tangent, scale)
    # The operation once more: after x itself, the second derivative wouldn't be scaled.
    return _scale_p.bind(x, scale), tangent


def _batching_rule(arguments, axes):
    x, scale = arguments
    x_axis, scale_axis = axes
    if x_axis is not None:
        x = jnp.moveaxis(x, x_axis, 0)
    if scale_axis is not None:
        scale = jnp.moveaxis(scale, scale_axis, 0)
        if x_axis is None:
            x = jnp.broadcast_to(x, (scale.shape[0], *x.shape))
        scale = jnp.expand_dims(scale, range(1, 1 + x.ndim - scale.ndim))
    return _scale_p.bind(x, scale), 0


ad.primitive_jvps[_scale_p] = _tangent_rule
batching.primitive_batchers[_scale_p] = _batching_rule


@jax.jit  # one step where the rest is eager
def _times(tangent, scale):
    """Return `tangent * scale` in the dtype of `tangent`; 0 wherever `scale` is 0."""
    if jnp.iscomplexobj(tangent):  # part by part: inf * (0.5 + 0j) has an imaginary part of nan
        return jax.lax.complex(_times(tangent.real, scale), _times(tangent.imag, scale))
    # A scale such as 0.3 or 1e-8 would lose most of its digits in a half type.
    dtype = jnp.float64 if tangent.dtype == jnp.float64 else jnp.float32
    scale = jnp.asarray(scale, dtype)
    product = jnp.where(scale == 0, 0, tangent.astype(dtype) * scale)
    return product.astype(tangent.dtype)
