"""Stop or scale gradients in PyTorch, without touching the forward value.

Two operations: `stop_gradient(x)` and `scale_gradient(x, scale)`. Both return `x` bit for bit; they
differ in what flows back: nothing, or the gradient times `scale`. The file needs PyTorch and
nothing else, so you can copy it into a project as it stands.

Why not the one-liner `x * scale + x.detach() * (1 - scale)`? It rounds the forward value, makes nan
of inf unless the scale lies between 0 and 1, and multiplies three times. Why not a tensor hook? It
scales the whole gradient of the tensor, also the part that other uses of it send back, and forward
mode doesn't ask it. Why not ten lines of `torch.autograd.Function`? A compiled `torch.func.grad`
loses their rule, silently, and so does a compiled function that returns a view of the result.
"""

import inspect

import torch
from torch.autograd import forward_ad
from torch.utils import _pytree  # there is no public one

__all__ = ["scale_gradient", "stop_gradient"]


def stop_gradient(x):
    """Return `x` unchanged; on the way back it is a constant.

    Args:
        x: a tensor of any shape and dtype, or a nest of them: dict, list, tuple, named tuple and
            whatever else PyTorch takes for a pytree. Numbers and strings in it pass untouched.

    Returns:
        Tensors of the same values, shapes and dtypes, in the same structure. They share the memory
        of those in `x`, as from `torch.Tensor.detach`: clone before editing in place.

    Gradient:
        None at every order, and no tangent in forward mode: for PyTorch there is no path from the
        result to `x`. `torch.func` says 0 instead of None.

    Raises:
        TypeError: `x` holds something that is neither a tensor nor a number nor a string.

    Example:
        >>> x = torch.tensor(3.0, requires_grad=True)
        >>> y = x * stop_gradient(x)
        >>> y.backward()
        >>> x.grad
        tensor(3.)

    Source:
        https://docs.pytorch.org/docs/stable/generated/torch.Tensor.detach.html, for one tensor at a
        time.
    """
    return _map(torch.Tensor.detach, x)


def scale_gradient(x, scale):
    """Return `x` unchanged; on the way back the gradient is multiplied by `scale`.

    Args:
        x: a tensor of any shape and dtype or a nest of them, as for `stop_gradient`. Integers,
            booleans and strings pass untouched.
        scale: a real number, or a tensor or array of real numbers whose shape broadcasts to the
            shape of every tensor in `x`; for one of `torch.nested`, a number other than 0. Below 0
            it reverses the gradient. A tensor may change from step to step without recompiling a
            compiled function.

    Returns:
        Tensors of the same values, shapes and dtypes, in the same structure. They are views of
        those in `x`; copies in forward mode, under `torch.func` and when compiled. To edit a view
        in place raises a RuntimeError where a gradient is recorded, and edits `x` too where none
        is: clone before.

    Gradient:
        With respect to `x`: `scale` times the incoming gradient, in its dtype; half types are
        multiplied in float32, and sparse gradients stay sparse. A scale of 0 gives zeros, even
        where the incoming gradient is inf or nan. Forward mode is scaled alike, and every further
        derivative through the operation is scaled again.
        With respect to `scale`: None, since the result doesn't depend on it; 0 in `torch.func`.
        Around a compiled function PyTorch has no forward mode; inside it has.

    Raises:
        TypeError: `scale` is complex, boolean or not a number; or `x` is refused as by
            `stop_gradient`.
        ValueError: `scale` doesn't broadcast to the shape of `x`.

    Example:
        >>> x = torch.tensor(3.0, requires_grad=True)
        >>> y = scale_gradient(x, 0.5) ** 2
        >>> y.backward()
        >>> y.item(), x.grad
        (9.0, tensor(3.))

    Source:
        The pseudocode of MuZero (Schrittwieser et al., Mastering Atari, Go, chess and shogi by
        planning with a learned model, Nature 588, 2020) calls `scale_gradient(hidden_state, 0.5)`.
    """
    scale = _checked_scale(scale)
    return _map(lambda tensor: _scale_tensor(tensor, scale), x)


def _map(operation, x):
    """Apply `operation` to every tensor in the nest `x`."""
    if isinstance(x, torch.Tensor):  # saves the time of walking through a nest
        return operation(x)

    def on_leaf(leaf):
        if isinstance(leaf, torch.Tensor):
            return operation(leaf)
        if isinstance(leaf, (int, float, complex, str, bytes)):
            return leaf
        kind = type(leaf).__name__
        layers = "gradvalve.keras.ScaleGradient(scale) and StopGradient()"
        hint = f"; for it there are the layers {layers}" if kind == "KerasTensor" else ""
        raise TypeError(
            "x must be a tensor or a nest (dict, list, tuple, ...) of tensors, "
            f"but holds an object of type {kind}{hint}"
        )

    return _pytree.tree_map(on_leaf, x)


def _checked_scale(scale):
    """Return `scale` as a float, or as a tensor of real numbers that has no gradient."""
    if isinstance(scale, (int, float)) and not isinstance(scale, bool):
        return float(scale)
    if isinstance(scale, (torch.SymInt, torch.SymFloat)):  # torch.export: of a size yet unknown
        return torch.sym_float(scale)
    try:
        scale = torch.as_tensor(scale)
    except (TypeError, ValueError, RuntimeError) as error:
        raise TypeError(
            "scale must be a real number or a tensor of real numbers, "
            f"but is an object of type {type(scale).__name__}"
        ) from error
    if scale.is_complex() or scale.dtype == torch.bool:
        raise TypeError(
            "scale must be a real number or a tensor of real numbers, "
            f"but has dtype {str(scale.dtype).removeprefix('torch.')}"
        )
    return scale.detach()


def _scale_tensor(x, scale):
    if not (x.is_floating_point() or x.is_complex()):
        return x
    if isinstance(scale, torch.Tensor):
        _refuse_enlarging(scale, x)
        scale = scale.to(x.device, _multiplied_in(x))
    return _scaled(x, scale, _may_share_memory(x))


def _refuse_enlarging(scale, x):
    sizes = zip(reversed(scale.shape), reversed(x.shape), strict=False)
    if scale.ndim > x.ndim or any(s not in (1, n) for s, n in sizes):
        raise ValueError(
            f"scale of shape {tuple(scale.shape)} doesn't broadcast to x of shape "
            f"{tuple(x.shape)}: counted from the last, each of its dimensions must be 1 or that of "
            "x"
        )


def _multiplied_in(x):
    """Return the dtype of the product: 0.3 or 1e-8 would lose most of its digits in a half type."""
    return torch.float64 if x.dtype in (torch.float64, torch.complex128) else torch.float32


def _may_share_memory(x):
    """Whether PyTorch raises if a view of `x` is edited, and keeps the rule of one it returns.

    It does neither in its function transforms; in forward mode a view would need a tangent that is
    a view; and a compiled function makes the views that it returns anew from its inputs.
    """
    return not (
        torch.compiler.is_compiling()
        or x.layout != torch.strided
        or torch.func.debug_unwrap(x) is not x
        or forward_ad.unpack_dual(x).tangent is not None
    )


# The compiler would look into the Function: it refuses a jvp, and inside torch.func it takes the
# forward for the whole and loses the rule. So it gets a function that it may not look into. To say
# so loads the compiler, which takes as long as with the first optimizer of a program.
@torch.compiler.allow_in_graph
def _scaled(x, scale, shares_memory):
    return _Scaled.apply(x, scale, shares_memory)


class _Scaled(torch.autograd.Function):
    @staticmethod
    def forward(x, scale, shares_memory):
        return x.view_as(x) if shares_memory else x.clone()

    @staticmethod
    def setup_context(ctx, inputs, output):
        _, ctx.scale, _ = inputs
        if isinstance(ctx.scale, torch.Tensor):
            ctx.save_for_backward(ctx.scale)
            ctx.save_for_forward(ctx.scale)
            ctx.scale = None

    @staticmethod
    def backward(ctx, gradient):
        return _times(gradient, _scale_of(ctx)), None, None

    @staticmethod
    def jvp(ctx, tangent, *_):
        return _times(tangent, _scale_of(ctx))

    @staticmethod
    def vmap(info, in_dims, x, scale, shares_memory):
        # If only the scale is batched, each of the batch needs its own gradient of x.
        x_dim, scale_dim, _ = in_dims
        x = x.expand(info.batch_size, *x.shape) if x_dim is None else x.movedim(x_dim, 0)
        if scale_dim is not None:
            scale = scale.movedim(scale_dim, 0)
            missing = [1] * (x.ndim - scale.ndim)
            scale = scale.reshape(info.batch_size, *missing, *scale.shape[1:])
        return _scaled(x, scale, shares_memory), 0


# PyTorch asks for it in every call; to find it takes as long as all the rest.
_Scaled.forward.__signature__ = inspect.signature(_Scaled.forward)


def _scale_of(ctx):
    return ctx.saved_tensors[0] if ctx.scale is None else ctx.scale


def _times(gradient, scale):
    """Return `gradient * scale` in the dtype of `gradient`; 0 wherever `scale` is 0."""
    if gradient.layout == torch.sparse_coo:
        gradient = gradient.coalesce()
        indices = gradient.indices()
        if isinstance(scale, torch.Tensor):
            scale = scale.expand(gradient.shape)[tuple(indices)]
        values = _times(gradient.values(), scale)
        return torch.sparse_coo_tensor(
            indices, values, gradient.shape, is_coalesced=True, check_invariants=False
        )
    if gradient.is_complex():  # part by part: inf * (0.5 + 0j) has an imaginary part of nan
        return torch.complex(_times(gradient.real, scale), _times(gradient.imag, scale))
    if not isinstance(scale, torch.Tensor):
        # PyTorch multiplies half types by a number in float32.
        if scale != 0 and gradient.ndim > 0 and gradient.dtype.itemsize > 1:
            return gradient * scale
        scale = torch.full((), scale, dtype=_multiplied_in(gradient), device=gradient.device)
    product = gradient.to(scale.dtype) * scale
    return product.masked_fill_(scale == 0, 0).to(gradient.dtype)
