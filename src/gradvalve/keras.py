"""Stop or scale gradients in Keras 3, without touching the forward value.

Two layers: `StopGradient()` and `ScaleGradient(scale)`. Both return what they get bit for bit; they
differ in what flows back: nothing, or the gradient times `scale`. They are saved and exported with
the model. The file needs Keras and its backend (TensorFlow, JAX or PyTorch) and nothing else, so
you can copy it into a project as it stands.

Why not `Lambda(keras.ops.stop_gradient)`? A saved Lambda doesn't load by itself. Why not five lines
of `keras.ops.custom_gradient`? With JAX the second derivative is wrong, silently, and forward mode
refused; with TensorFlow forward mode is wrong, silently.
"""

import keras
import numpy as np
from keras import ops

__all__ = ["ScaleGradient", "StopGradient"]

_COMPLEX = ("complex64", "complex128")


class _Identity(keras.layers.Layer):
    """Both layers: any nest of tensors passes, whatever its dtypes, and so do masks."""

    def __init__(self, **kwargs):
        super().__init__(autocast=False, **kwargs)
        self.supports_masking = True
        self.built = True  # no variable waits for the shape of the input

    def call(self, x):
        return _map(lambda leaf: self._on_tensor(leaf) if _has_gradient(leaf) else leaf, x)


@keras.saving.register_keras_serializable("gradvalve")
class StopGradient(_Identity):
    """Return the input unchanged; on the way back it is a constant.

    Args:
        **kwargs: what every Keras layer takes, such as `name`.

    Input:
        A tensor of any shape and dtype, or a nest of them: dict, list, tuple. A sparse or ragged
        tensor too, where the backend has such.

    Output:
        Tensors of the same values, shapes and dtypes, in the same structure, with the same masks.
        The dtype policy doesn't cast them.

    Gradient:
        None at every order with TensorFlow and PyTorch, zeros with JAX. Weights below the layer
        stay in `trainable_weights`: an optimizer leaves them alone where the gradient is None;
        where it is zero, weight decay and momentum still move them.

    Example:
        >>> layer = StopGradient()
        >>> layer(keras.ops.ones([2, 3])).shape == (2, 3)
        True

    Source:
        https://keras.io/api/ops/core/#stopgradient-function, for one tensor at a time.
    """

    def _on_tensor(self, x):
        return ops.stop_gradient(x)


@keras.saving.register_keras_serializable("gradvalve")
class ScaleGradient(_Identity):
    """Return the input unchanged; on the way back the gradient is multiplied by `scale`.

    Args:
        scale: a real number, or an array (or nested list) of real numbers whose shape broadcasts to
            the shape of every tensor in the input that has a gradient. Below 0 it reverses the
            gradient. Along a dimension that a model doesn't know beforehand it must be 1.
        **kwargs: what every Keras layer takes, such as `name`.

    Attributes:
        scale: a `keras.Variable` that isn't trained, in float32, or float64 if the layer's dtype
            is. `layer.scale.assign(0.1)` changes it, also between the steps of a compiled `fit`;
            from a callback's `on_epoch_begin`, say. With JAX, variables are away during an epoch:
            in `on_train_batch_begin` call `self.model.jax_state_sync()` before.

    Input, Output:
        As for `StopGradient`. Integers, booleans and strings pass untouched.

    Gradient:
        `scale` times the incoming gradient, in its dtype; half types are multiplied in float32. A
        scale of 0 gives zeros, even where the incoming gradient is inf or nan. Every further
        derivative through the layer is scaled again, and forward mode is scaled alike (PyTorch says
        that it has none).

    Raises:
        TypeError: `scale` is complex, boolean or not a number.
        ValueError: `scale` doesn't broadcast to the shape of the input.

    Example:
        >>> layer = ScaleGradient(0.5)
        >>> layer(keras.ops.ones([2, 3])).shape == (2, 3)
        True
        >>> _ = layer.scale.assign(0.25)
        >>> float(layer.scale.numpy())
        0.25

    Source:
        The pseudocode of MuZero (Schrittwieser et al., Mastering Atari, Go, chess and shogi by
        planning with a learned model, Nature 588, 2020) calls `scale_gradient(hidden_state, 0.5)`.
    """

    def __init__(self, scale, **kwargs):
        super().__init__(**kwargs)
        self._first_scale = _checked_scale(scale)
        self.scale = self.add_weight(
            name="scale",
            shape=self._first_scale.shape,
            initializer=lambda _shape, dtype: ops.convert_to_tensor(self._first_scale, dtype),
            dtype="float64" if self.variable_dtype == "float64" else "float32",
            trainable=False,
            autocast=False,
        )

    def get_config(self):
        return super().get_config() | {"scale": self._first_scale.tolist()}

    def _on_tensor(self, x):
        _refuse_enlarging(self.scale, x)
        wide = keras.backend.standardize_dtype(x.dtype) in ("float64", "complex128")
        return _scaled(x, ops.cast(self.scale, "float64" if wide else "float32"))


def _has_gradient(x):
    dtype = keras.backend.standardize_dtype(x.dtype)
    return keras.backend.is_float_dtype(dtype) or dtype in _COMPLEX


def _checked_scale(scale):
    """Return `scale` as a NumPy array of real numbers."""
    try:
        array = np.asarray(scale)
    except ValueError:  # lists of different lengths
        array = np.empty((), object)
    if array.dtype.kind not in "iuf":
        given = array.dtype.name if array.dtype.kind in "bc" else type(scale).__name__
        raise TypeError(f"scale must be a real number or an array of real numbers, but is {given}")
    return array


def _refuse_enlarging(scale, x):
    if not scale.shape:  # it fits all, also where TensorFlow doesn't know the rank of x
        return
    sizes = zip(reversed(scale.shape), reversed(x.shape), strict=False)
    if len(scale.shape) > len(x.shape) or any(s not in (1, n) for s, n in sizes):
        raise ValueError(
            f"scale of shape {tuple(scale.shape)} doesn't broadcast to the input of shape "
            f"{tuple(x.shape)}: counted from the last, each of its dimensions must be 1 or that of "
            "the input"
        )


def _times(upstream, scale):
    """Return `upstream * scale` in the dtype of `upstream`; 0 wherever `scale` is 0."""
    if keras.backend.standardize_dtype(upstream.dtype) in _COMPLEX:
        # Part by part: inf * (0.5 + 0j) has an imaginary part of nan.
        parts = [_times(part, scale) for part in (ops.real(upstream), ops.imag(upstream))]
        return ops.view_as_complex(ops.stack(parts, axis=-1))
    scale = ops.stop_gradient(scale)
    # A scale such as 0.3 or 1e-8 would lose most of its digits in a half type.
    product = ops.where(scale == 0, 0, ops.cast(upstream, scale.dtype) * scale)
    return ops.cast(product, upstream.dtype)


# _scaled(x, scale) of each backend, and _map, which goes into sparse tensors too.

if keras.backend.backend() == "tensorflow":
    import tensorflow as tf

    def _map(operation, x):
        return tf.nest.map_structure(operation, x, expand_composites=True)

    def _with_rule(body):
        @tf.custom_gradient
        def scaled(x, scale):
            def rule(upstream):  # which may be tf.IndexedSlices
                return _times(tf.convert_to_tensor(upstream), scale), None

            return body(x, scale), rule

        return scaled

    # Forward mode asks a custom gradient's rule only where the body's result has no tangent of its
    # own, hence StopGradient; in a graph only inside a call, hence the function around it.
    _scaled_eagerly = _with_rule(lambda x, _: tf.raw_ops.StopGradient(input=x))
    _scaled_in_graph = _with_rule(tf.function(_scaled_eagerly, autograph=False))

    def _scaled(x, scale):
        return (_scaled_eagerly if tf.executing_eagerly() else _scaled_in_graph)(x, scale)

elif keras.backend.backend() == "jax":
    import jax
    import jax.numpy as jnp
    from jax.extend.core import Primitive
    from jax.interpreters import ad, batching, mlir

    _map = jax.tree.map

    # A primitive of its own, because jax.lax.scan forgets the rule of a jax.custom_jvp once it is
    # differentiated in reverse mode: the second derivative would pass unscaled, silently.
    _scale_p = Primitive("scale_gradient")
    _scale_p.def_impl(lambda x, _: x)
    _scale_p.def_abstract_eval(lambda x, _: x)
    mlir.register_lowering(_scale_p, lambda _context, x, _: [x])

    def _tangent_rule(primals, tangents):
        tangent = tangents[0]
        if not isinstance(tangent, ad.Zero):
            tangent = _times(tangent, primals[1])
        return _scale_p.bind(*primals), tangent

    def _batching_rule(arguments, axes):
        x, scale = (
            argument[None] if axis is None else jnp.moveaxis(argument, axis, 0)
            for argument, axis in zip(arguments, axes, strict=True)
        )
        x = jnp.broadcast_to(x, (max(len(x), len(scale)), *x.shape[1:]))
        return _scale_p.bind(x, scale), 0

    ad.primitive_jvps[_scale_p] = _tangent_rule
    batching.primitive_batchers[_scale_p] = _batching_rule

    def _scaled(x, scale):
        scale = jnp.expand_dims(scale, range(x.ndim - scale.ndim))  # of equal rank: for batching
        return _scale_p.bind(x, scale)

elif keras.backend.backend() == "torch":
    import torch

    _map = keras.tree.map_structure

    class _Scaled(torch.autograd.Function):
        generate_vmap_rule = True

        @staticmethod
        def forward(x, scale, copies):
            return x.clone() if copies else x.view_as(x)

        @staticmethod
        def setup_context(ctx, inputs, output):
            ctx.save_for_backward(inputs[1])

        @staticmethod
        def backward(ctx, gradient):
            return _times(gradient, *ctx.saved_tensors), None, None

    # The compiler may not look into the Function: inside torch.func it would lose the rule, and it
    # makes the views that a compiled function returns anew, without the rule.
    @torch.compiler.allow_in_graph
    def _scaled_as_a_whole(x, scale, copies):
        return _Scaled.apply(x, scale, copies)

    def _scaled(x, scale):
        return _scaled_as_a_whole(x, scale, torch.compiler.is_compiling())

else:  # NumPy and OpenVINO have no gradients
    _map = keras.tree.map_structure

    def _scaled(x, _):
        return x
