"""Stop or scale gradients in TensorFlow, without touching the forward value.

Two operations: `stop_gradient(x)` and `scale_gradient(x, scale)`. Both return `x` bit for bit; they
differ in what flows back: nothing, or the gradient times `scale`. The file needs TensorFlow and
nothing else, so you can copy it into a project as it stands.

Why not the one-liner `x * scale + tf.stop_gradient(x) * (1 - scale)`? It rounds the forward value,
makes nan of inf unless the scale lies between 0 and 1, and multiplies three times. Why not five
lines of `tf.custom_gradient`? They lose their rule in forward mode and where x comes by keyword,
silently, and if the scale is larger than x, so is the gradient.
"""

import tensorflow as tf

__all__ = ["scale_gradient", "stop_gradient"]

# What carries a gradient in TensorFlow, and the type in which it is multiplied: a scale such as 0.3
# or 1e-8 would lose most of its digits in a half type. Every other type passes untouched.
_MULTIPLIED_IN = {
    tf.float16: tf.float32,
    tf.bfloat16: tf.float32,
    tf.float32: tf.float32,
    tf.float64: tf.float64,
    tf.complex64: tf.float32,
    tf.complex128: tf.float64,
}


def stop_gradient(x):
    """Return `x` unchanged; on the way back it is a constant.

    Args:
        x: a tensor of any shape and dtype (or a variable, a NumPy array, a number), or a nest of
            them: dict, list, tuple, named tuple and whatever else `tf.nest` knows, also
            `tf.RaggedTensor`, `tf.SparseTensor` and `tf.IndexedSlices`. A list is a nest, not an
            array.

    Returns:
        Tensors of the same values, shapes and dtypes, in the same structure.

    Gradient:
        None at every order, and no tangent in forward mode: for TensorFlow there is no path from
        the result to `x`. Where a traced graph connects the two all the same (a loop, the other
        branch of a `tf.cond`), it is 0.

    Raises:
        TypeError: `x` holds something that isn't a tensor, or a symbolic Keras tensor.

    Example:
        >>> x = tf.constant(3.0)
        >>> with tf.GradientTape() as tape:
        ...     tape.watch(x)
        ...     y = x * stop_gradient(x)
        >>> float(tape.gradient(y, x))
        3.0

    Source:
        https://www.tensorflow.org/api_docs/python/tf/stop_gradient, for one tensor at a time.
    """
    return _map(tf.stop_gradient, x)


def scale_gradient(x, scale):
    """Return `x` unchanged; on the way back the gradient is multiplied by `scale`.

    Args:
        x: a tensor of any shape and dtype or a nest of them, as for `stop_gradient`. Integers,
            booleans and strings pass untouched.
        scale: a real number, or a tensor, variable or array of real numbers whose shape broadcasts
            to the shape of every tensor in `x`; a scalar for ragged and sparse ones. Below 0 it
            reverses the gradient. A tensor or a variable may change from step to step without
            retracing a `tf.function`.

    Returns:
        Tensors of the same values, shapes and dtypes, in the same structure.

    Gradient:
        With respect to `x`: `scale` times the incoming gradient, in its dtype; half types are
        multiplied in float32, and sparse gradients (`tf.IndexedSlices`) stay sparse. A scale of 0
        gives zeros, even where the incoming gradient is inf or nan. Forward mode is scaled alike,
        and every further derivative through the operation is scaled again.
        With respect to `scale`: None, since the result doesn't depend on it.

    Raises:
        TypeError: `scale` is complex, boolean or not a number; or `x` is refused as by
            `stop_gradient`.
        ValueError: `scale` doesn't broadcast to the shape of `x`. A graph that knows its shapes
            only when it runs raises tf.errors.InvalidArgumentError instead.

    Example:
        >>> x = tf.constant(3.0)
        >>> with tf.GradientTape() as tape:
        ...     tape.watch(x)
        ...     y = scale_gradient(x, 0.5) ** 2
        >>> float(y), float(tape.gradient(y, x))
        (9.0, 3.0)

    Source:
        The pseudocode of MuZero (Schrittwieser et al., Mastering Atari, Go, chess and shogi by
        planning with a learned model, Nature 588, 2020) calls `scale_gradient(hidden_state, 0.5)`.
    """
    scale = _checked_scale(scale)
    if not isinstance(scale, float) and scale.shape.rank != 0:
        _refuse_composites(x, scale)
    return _map(lambda tensor: _scale_tensor(tensor, scale), x)


def _map(operation, x):
    """Apply `operation` to every tensor in the nest `x`."""
    if isinstance(x, tf.Tensor):  # saves the time of walking through a nest
        return operation(x)
    return tf.nest.map_structure(lambda leaf: operation(_tensor(leaf)), x, expand_composites=True)


def _tensor(leaf):
    try:
        return tf.convert_to_tensor(leaf)
    except (TypeError, ValueError) as error:
        kind = type(leaf).__name__
        layers = "gradvalve.keras.ScaleGradient(scale) and StopGradient()"
        hint = f"; for it there are the layers {layers}" if kind == "KerasTensor" else ""
        raise TypeError(
            "x must be a tensor or a nest (dict, list, tuple, ...) of tensors, "
            f"but holds an object of type {kind}{hint}"
        ) from error


def _checked_scale(scale):
    """Return `scale` as a float, or as a tensor of real numbers that has no gradient."""
    if isinstance(scale, (int, float)) and not isinstance(scale, bool):
        return float(scale)
    try:
        scale = tf.convert_to_tensor(scale)
    except (TypeError, ValueError) as error:
        raise TypeError(
            "scale must be a real number or a tensor of real numbers, "
            f"but is an object of type {type(scale).__name__}"
        ) from error
    if not (scale.dtype.is_floating or scale.dtype.is_integer):
        raise TypeError(
            "scale must be a real number or a tensor of real numbers, "
            f"but has dtype {scale.dtype.name}"
        )
    return tf.stop_gradient(scale)


def _refuse_composites(x, scale):
    for leaf in tf.nest.flatten(x):
        if isinstance(leaf, (tf.RaggedTensor, tf.SparseTensor, tf.IndexedSlices)):
            raise ValueError(
                f"scale has shape {scale.shape}, but a {type(leaf).__name__} in x takes only a "
                "scalar; for more, call scale_gradient on its values"
            )


def _scale_tensor(x, scale):
    if x.dtype not in _MULTIPLIED_IN:
        return x
    dtype = _MULTIPLIED_IN[x.dtype]
    if isinstance(scale, float):
        scale = tf.constant(scale, dtype)
    else:
        scale, x = _broadcasting(tf.cast(scale, dtype), x)
    return _scaled(x, scale) if tf.executing_eagerly() else _scaled_in_graph(x, scale)


def _broadcasting(scale, x):
    """Return both, or raise if `scale` would enlarge `x`."""
    if scale.shape.rank == 0:
        return scale, x
    ranks = scale.shape.rank, x.shape.rank
    if None not in ranks:
        sizes = zip(reversed(scale.shape), reversed(x.shape), strict=False)
        fits = [s == 1 or (None if None in (s, n) else s == n) for s, n in sizes]
        if ranks[0] > ranks[1] or False in fits:
            raise ValueError(
                f"scale of shape {scale.shape} doesn't broadcast to x of shape {x.shape}: "
                "counted from the last, each of its dimensions must be 1 or that of x"
            )
        if all(fits):
            return scale, x
    # Known only when the graph runs. The check is the broadcasting itself, because XLA drops
    # assertions; its name is what the error shows.
    name = "scale_must_broadcast_to_x"
    if None not in ranks:  # grappler may drop the broadcasting of sizes that are known
        sizes = [None] * ranks[1] + [None if size == 1 else size for size in scale.shape]
        x = tf.ensure_shape(x, sizes[len(sizes) - ranks[1] :], name=name)
    return tf.broadcast_to(scale, tf.shape(x), name=name), x


# Forward mode asks a custom gradient's rule only where the body's result has no tangent of its own;
# therefore the body is stop_gradient: with identity, ForwardAccumulator would see no scaling.
# `scale` is an argument, not closed over, so that one trace serves every scale.
@tf.custom_gradient
def _scaled(x, scale):
    return tf.raw_ops.StopGradient(input=x), _rule(scale, x.shape.rank)


_scaled_by_call = tf.function(_scaled, autograph=False)


# In a graph custom_gradient ends in an IdentityN, and this gives the result the body's tangent,
# none. So the body is a function call, whose tangent is right. By itself a call won't do: it makes
# sparse gradients dense.
@tf.custom_gradient
def _scaled_in_graph(x, scale):
    return _scaled_by_call(x, scale), _rule(scale, x.shape.rank)


def _rule(scale, rank):
    """Return what maps the incoming gradient to those of x, a tensor of that rank, and of scale."""

    def rule(upstream):
        if not isinstance(upstream, tf.IndexedSlices):
            return _times(upstream, scale), None
        has_rows = scale.shape.rank == rank and scale.shape[0] != 1
        rows = tf.gather(scale, upstream.indices) if has_rows else scale
        values = _times(upstream.values, rows)
        return tf.IndexedSlices(values, upstream.indices, upstream.dense_shape), None

    return rule


def _times(upstream, scale):
    """Return `upstream * scale` in the dtype of `upstream`; 0 wherever `scale` is 0."""
    if upstream.dtype.is_complex:  # part by part: inf * (0.5 + 0j) has an imaginary part of nan
        parts = tf.math.real(upstream), tf.math.imag(upstream)
        return tf.complex(_times(parts[0], scale), _times(parts[1], scale))
    # The raw operation, because tf.math.multiply_no_nan takes twice the time on small tensors.
    if upstream.dtype == scale.dtype:
        return tf.raw_ops.MulNoNan(x=upstream, y=scale)
    product = tf.raw_ops.MulNoNan(x=tf.cast(upstream, scale.dtype), y=scale)
    return tf.cast(product, upstream.dtype)
