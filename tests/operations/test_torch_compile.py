"""What the two operations promise when PyTorch compiles or exports them."""

import pytest
import torch
from torch.autograd import forward_ad
from torch.func import grad, hessian, jacfwd, jacrev, jvp, vjp, vmap

from tests.operations.comparing import COMPILER, covers
from tests.operations.in_torch import scale_gradient, stop_gradient

# PyTorch warns of itself.
pytestmark = pytest.mark.filterwarnings(
    "ignore:`torch.jit.* is deprecated",
    "ignore:.*should not be instantiated",
    "ignore:`isinstance.treespec, LeafSpec.` is deprecated",
)

each_backend = pytest.mark.parametrize(
    "backend", ["aot_eager", "inductor"] if COMPILER else ["aot_eager"]
)
each_kind = pytest.mark.parametrize(
    "kind",
    [float, lambda scale: torch.tensor(scale, dtype=torch.float64)],
    ids=["number", "tensor"],
)


@pytest.fixture(autouse=True)
def nothing_is_compiled_yet(tmp_path_factory, monkeypatch):
    monkeypatch.setenv("TORCHINDUCTOR_CACHE_DIR", str(tmp_path_factory.getbasetemp() / "inductor"))
    torch.compiler.reset()


def compiled(function, backend="aot_eager", **options):
    return torch.compile(function, backend=backend, fullgraph=True, **options)


def gradient(function, x):
    x = x.clone().requires_grad_()
    function(x).sum().backward()
    return x.grad


# Derivatives inside what is compiled


def along(function):
    return lambda x: jvp(function, (x,), (torch.ones_like(x),))[1]


def across(function):
    return lambda x: vjp(function, x)[1](torch.ones_like(x))[0]


# Derivatives of x³ at 1.5, scaled by 1/2
DERIVATIVES = {
    "F1": (grad, 3.375),
    "vjp": (across, 3.375),
    "jvp": (along, 3.375),
    "jacrev": (jacrev, 3.375),
    "jacfwd": (jacfwd, 3.375),
    "hessian": (hessian, 2.25),
    "grad of grad": (lambda f: grad(grad(f)), 2.25),
    "jvp of grad": (lambda f: along(grad(f)), 2.25),
    "grad of jvp": (lambda f: grad(along(f)), 2.25),
    "jvp of jvp": (lambda f: along(along(f)), 2.25),
    "vmap of grad": (lambda f: lambda x: vmap(grad(f))(x[None])[0], 3.375),
    "grad of vmap": (lambda f: grad(lambda x: vmap(f)(x[None]).sum()), 3.375),
}
each_derivative = pytest.mark.parametrize(
    ("derivative", "expected"), DERIVATIVES.values(), ids=DERIVATIVES.keys()
)


@each_derivative
def test_derivatives_are_scaled_inside_what_is_compiled(derivative, expected):
    def cube(x):
        return scale_gradient(scale_gradient(x, 0.25), torch.tensor(2.0)) ** 3

    result = compiled(derivative(cube))(torch.tensor(1.5))

    assert (result, result.dtype) == (expected, torch.float32)


@each_derivative
def test_what_is_stopped_is_constant_inside_what_is_compiled(derivative, expected):  # noqa: ARG001
    result = compiled(derivative(lambda x: stop_gradient(x) ** 3 + x**2))(torch.tensor(1.5))

    assert result == derivative(lambda x: x**2)(torch.tensor(1.5))


@each_backend
def test_a_compiled_grad_is_scaled_by_every_backend(backend):
    function = compiled(grad(lambda x: scale_gradient(x, 0.5) ** 2), backend)

    assert function(torch.tensor(3.0)) == 3


def test_a_bare_function_loses_its_rule():
    """Shows that the tests above see what they should; PyTorch calls it a bug."""

    class Bare(torch.autograd.Function):
        @staticmethod
        def forward(x):
            return x.view_as(x)

        @staticmethod
        def setup_context(ctx, inputs, output):
            pass

        @staticmethod
        def backward(ctx, gradient):
            return 0.5 * gradient

    square = grad(lambda x: Bare.apply(x) ** 2)

    assert (square(torch.tensor(3.0)), compiled(square)(torch.tensor(3.0))) == (3, 6)


@pytest.mark.parametrize(
    ("scales", "expected"), [pytest.param([0.0, 0.5, 1.0], [0, 3, 6], id="C46")]
)
def test_scale_may_be_vectorised_inside_what_is_compiled(scales, expected):
    x, scales = torch.tensor(3.0), torch.tensor(scales)

    inside = vmap(grad(lambda x, scale: scale_gradient(x, scale) ** 2), (None, 0))
    outside = grad(lambda x, s: vmap(scale_gradient, (None, 0))(x, s).sum())

    assert compiled(inside)(x, scales).tolist() == expected
    assert compiled(outside)(x, scales) == scales.sum()


def test_forward_mode_is_scaled_inside_what_is_compiled():
    def tangent(x):
        with forward_ad.dual_level():
            dual = forward_ad.make_dual(x, torch.ones_like(x))
            return forward_ad.unpack_dual(scale_gradient(dual, 0.5) ** 2).tangent

    assert compiled(tangent)(torch.tensor(3.0)) == 3


# Derivatives of what is compiled


@each_backend
@each_kind
def test_the_gradient_of_what_is_compiled_is_scaled(backend, kind):
    function = compiled(lambda x, scale: scale_gradient(torch.tanh(x), scale), backend)
    x = torch.tensor([0.3, -1.2])

    for scale in 0.5, 0.0, -1.0, 1e-8:
        result = gradient(lambda x, scale=scale: function(x, kind(scale)), x)
        torch.testing.assert_close(result, scale * gradient(torch.tanh, x))


# Functions that return x itself for PyTorch: it would make what they return from x, without a rule.
ALIASES = {
    "itself": lambda y: y,
    "reshaped": lambda y: y.view(2, 1),
    "transposed": lambda y: y[None].T,
    "part": lambda y: y[:2],
    "twice": lambda y: (y, y.view(2, 1))[1],
}


@each_backend
@pytest.mark.parametrize("view", ALIASES.values(), ids=ALIASES.keys())
def test_a_compiled_function_may_return_a_view_of_the_result(backend, view):
    function = compiled(lambda x: view(scale_gradient(x, 0.5)), backend)

    assert gradient(function, torch.ones(2)).tolist() == [0.5, 0.5]


@each_backend
def test_what_is_compiled_gets_a_copy_that_may_be_edited(backend):
    def edited(x):
        y = scale_gradient(x, 0.5)
        y.mul_(2)
        return x + y

    x = torch.ones(2)

    assert gradient(compiled(edited, backend), x).tolist() == [2, 2]
    assert x.tolist() == [1, 1]


@each_backend
@pytest.mark.parametrize("dtype", [torch.float16, torch.bfloat16, torch.float32, torch.float64])
@each_kind
def test_bits_are_kept_and_products_rounded_once(backend, dtype, kind):
    generator = torch.Generator().manual_seed(0)
    size = dtype.itemsize
    integer = {2: torch.int16, 4: torch.int32, 8: torch.int64}[size]
    bits = torch.randint(
        -(2 ** (8 * size - 1)), 2 ** (8 * size - 1) - 1, (4096,), generator=generator
    )
    values = bits.to(integer).view(dtype)
    wide = torch.promote_types(dtype, torch.float32)
    function = compiled(scale_gradient, backend)

    for scale in 0.3, 1e-8:
        x = values.clone().requires_grad_()
        y = function(x, kind(scale))
        y.backward(values)

        assert torch.equal(y.view(integer), values.view(integer))
        expected = (values.to(wide) * torch.tensor(scale, dtype=wide)).to(dtype)
        torch.testing.assert_close(x.grad, expected, rtol=0, atol=0, equal_nan=True)


@each_backend
@each_kind
def test_zero_stops_infinite_gradients_of_what_is_compiled(backend, kind):
    function = compiled(lambda x: torch.log(scale_gradient(x, kind(0.0))), backend)

    assert gradient(function, torch.tensor([0.0, 1.0])).tolist() == [0, 0]


def counting():
    """Return a backend, and a list that grows with every program it compiles."""
    programs = []

    def backend(program, inputs):
        programs.append(program)
        return torch._dynamo.lookup_backend("aot_eager")(program, inputs)

    return backend, programs


def test_a_changing_tensor_of_scales_causes_no_new_compilation():
    backend, programs = counting()
    function = compiled(scale_gradient, backend)

    for scale in 0.5, 0.0, -1.0:
        slope = gradient(lambda x, s=scale: function(x, torch.tensor(s)), torch.ones(2))
        assert slope.tolist() == [scale, scale]
    assert len(programs) == 1


def test_numbers_end_in_programs_that_serve_every_number():
    backend, programs = counting()
    function = compiled(scale_gradient, backend)

    for scale in 0.5, 0.25, 0.0, -1.0, 0.1, 3.0, 0.7, -0.3:
        slope = gradient(lambda x, s=scale: function(x, s), torch.ones(2))
        assert torch.equal(slope, torch.full([2], scale))
    assert len(programs) <= 4


def test_shapes_may_change():
    function = compiled(scale_gradient, dynamic=True)

    for size in 2, 3, 5:
        scale = torch.arange(float(size))
        assert torch.equal(gradient(lambda x, s=scale: function(x, s), torch.ones(size)), scale)


def test_a_scale_that_would_enlarge_x_is_the_same_error_when_compiled():
    function = torch.compile(scale_gradient, backend="aot_eager")

    with pytest.raises(ValueError, match=r"scale of shape \(3,\) doesn't broadcast to x of shape"):
        function(torch.ones(2), torch.ones(3))


def test_nests_may_be_compiled():
    def loss(nest):
        nest = scale_gradient(nest, 0.5)
        return nest["a"] * stop_gradient(nest)["b"][0] * nest["b"][1]

    def slope(x):
        return gradient(lambda x: compiled(loss)({"a": x, "b": [x, 3]}), x)

    assert slope(torch.tensor(2.0)) == 2 * 3 * 0.5


# Export

each_export = pytest.mark.parametrize("strict", [False, True], ids=["traced", "strict"])


@each_export
def test_an_exported_program_is_the_identity(strict):
    class Model(torch.nn.Module):
        def forward(self, x, scale):
            return scale_gradient({"x": stop_gradient(x)}, scale)["x"]

    x = torch.tensor([1.0, torch.inf, -0.0, torch.nan])
    program = torch.export.export(Model(), (x, torch.tensor(0.5)), strict=strict)

    for module in program.module(), program.run_decompositions().module():
        y = module(x, torch.tensor(0.3))
        assert torch.equal(y.view(torch.int32), x.view(torch.int32))


@each_export
@covers("C60")
def test_an_exported_program_has_copies_only_between_input_and_output(strict):
    """And no autograd.Function, which no exporter to another format, such as ONNX, knows."""

    class Model(torch.nn.Module):
        def forward(self, x):
            return scale_gradient(stop_gradient(x), 0.5)

    exported = torch.export.export(Model(), (torch.ones(2),), strict=strict)

    nodes = exported.run_decompositions().graph.nodes
    names = {str(node.target) for node in nodes if node.op not in ("placeholder", "output")}
    assert names <= {"aten.alias.default", "aten.clone.default"}


@each_export
def test_an_exported_scale_may_depend_on_a_size_that_changes(strict):
    class Model(torch.nn.Module):
        def forward(self, x):
            return scale_gradient(x, 1 / x.shape[0]) * 2

    sizes = ({0: torch.export.Dim("size", min=2)},)
    program = torch.export.export(Model(), (torch.ones(4),), dynamic_shapes=sizes, strict=strict)

    assert program.module()(torch.ones(7)).tolist() == [2] * 7
