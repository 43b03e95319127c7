"""What the two operations promise about JAX's own things."""

import doctest
import functools
import re
from dataclasses import dataclass

import jax
import jax.numpy as jnp
import ml_dtypes
import numpy as np
import pytest
from jax import export
from jax.sharding import AxisType, NamedSharding, PartitionSpec

from tests.operations.comparing import covers
from tests.operations.in_jax import MODES, gradient, module, scale_gradient, stop_gradient

each_mode = pytest.mark.parametrize("mode", MODES.values(), ids=MODES.keys())
each_operation = pytest.mark.parametrize(
    "operation", [stop_gradient, lambda x: scale_gradient(x, 0.5)], ids=["stop", "scale"]
)


# What x may be


@each_mode
@each_operation
@pytest.mark.parametrize("x", [3.0, np.float32(3), np.array(3, "f4")], ids=lambda x: str(type(x)))
def test_numbers_and_arrays_become_arrays_of_jax(mode, operation, x):
    result = mode(lambda: operation(x))()

    assert isinstance(result, jax.Array)
    assert (result.shape, result) == ((), 3)
    assert result.weak_type is isinstance(x, float)


@each_operation
def test_shape_and_dtype_are_those_of_x(operation):
    """Also the weak type, by which 1.0 adapts to the dtype of the other."""
    for x in jnp.ones([2, 3], jnp.bfloat16), jnp.float32(1), 1.0, jnp.int8(1), jnp.ones([0, 2]):
        result, expected = jax.eval_shape(operation, x), jax.eval_shape(lambda x: x, x)

        assert (result.shape, result.dtype) == (expected.shape, expected.dtype)
        assert result.weak_type is expected.weak_type


@each_operation
def test_what_no_array_holds_passes_untouched(operation):
    key, words = jax.random.key(0), np.array(["a", "b"])
    x = {"key": key, "word": "dense", "bytes": b"dense", "words": words, "none": None, "flag": True}

    result = operation(x)

    assert {name: value is x[name] for name, value in result.items()} == dict.fromkeys(x, True)


@functools.partial(jax.tree_util.register_dataclass, data_fields=["x"], meta_fields=["name"])
@dataclass
class Point:
    x: jax.Array
    name: str


@each_mode
def test_dataclasses_that_jax_knows_are_nests(mode):
    def function(x):
        point = scale_gradient(Point(x, "p"), 0.5)
        assert point.name == "p"
        return stop_gradient(point).x * point.x

    assert mode(gradient(function))(3.0) == 1.5


@each_mode
@covers("P10")
def test_integer_leaves_get_the_cotangent_that_jax_has_for_them(mode):
    def loss(nest):
        nest = scale_gradient(nest, 0.5)
        return jnp.sum(nest["weights"] * nest["counts"])

    nest = {"weights": jnp.ones(2), "counts": jnp.array([3, 5], jnp.int32)}
    result = mode(jax.grad(loss, allow_int=True))(nest)

    assert result["weights"].tolist() == [1.5, 2.5]
    assert (result["counts"].dtype, result["counts"].shape) == (jax.dtypes.float0, (2,))


@covers("C14")
@pytest.mark.parametrize("operation", [stop_gradient, lambda x: scale_gradient(x, 0.5)])
def test_products_with_integers_have_a_cotangent(operation):
    _, backward = jax.vjp(lambda x, n: x * operation(n), 2.0, 3)
    to_x, to_n = backward(1.0)

    assert to_x == 3
    assert np.asarray(to_n).dtype == jax.dtypes.float0


@covers("P09")
@pytest.mark.parametrize("dtype", [jnp.float16, jnp.bfloat16, jnp.float32, jnp.complex64])
@pytest.mark.parametrize("scale_dtype", [jnp.float16, jnp.bfloat16, jnp.float32, jnp.float64, int])
def test_an_array_of_scales_promotes_nothing(dtype, scale_dtype):
    scale = jnp.full(2, 2, scale_dtype)

    y, backward = jax.vjp(lambda x: scale_gradient(x, scale), jnp.ones(2, dtype))
    (result,) = backward(jnp.ones(2, dtype))

    assert y.dtype == result.dtype == dtype
    assert result.tolist() == [2, 2]


@pytest.fixture
def only_32_bits():
    jax.config.update("jax_enable_x64", False)
    yield
    jax.config.update("jax_enable_x64", True)


@pytest.mark.usefixtures("only_32_bits")
@pytest.mark.parametrize("scale", [0.5, np.float64(0.5), np.array([0.5, 0.5])], ids=repr)
def test_without_64_bits_nothing_becomes_wider(scale):
    x = jnp.ones(2)
    y, backward = jax.vjp(lambda x: scale_gradient(x, scale), x)
    (result,) = backward(x)

    assert y.dtype == result.dtype == jnp.float32
    assert result.tolist() == [0.5, 0.5]


def test_zero_scale_makes_no_nan_even_in_between():
    with jax.debug_nans(True):
        _, backward = jax.vjp(lambda x: scale_gradient(x, 0.0), jnp.ones(2))

        assert backward(jnp.array([jnp.inf, 1.0]))[0].tolist() == [0, 0]


# Modes and orders


def square(x):
    return scale_gradient(x, 0.5) ** 2


JACOBIANS = {
    "jacrev": jax.jacrev(square),
    "jacfwd": jax.jacfwd(square),
    "jacrev over vmap": jax.vmap(jax.grad(square)),
    "linearize": lambda x: jax.vmap(jax.linearize(square, x)[1])(jnp.eye(3)),
}


@each_mode
@pytest.mark.parametrize("jacobian", JACOBIANS.values(), ids=JACOBIANS.keys())
def test_jacobians_are_scaled(mode, jacobian):
    x = jnp.array([1.5, 3.0, -1.0])

    result = mode(jacobian)(x)

    assert jnp.array_equal(result if result.ndim == 2 else jnp.diag(result), jnp.diag(x))


HESSIANS = {
    f"{outer.__name__} over {inner.__name__}": (outer, inner)
    for outer in (jax.jacfwd, jax.jacrev)
    for inner in (jax.jacfwd, jax.jacrev)
}


@each_mode
@covers("C37")
@pytest.mark.parametrize(("outer", "inner"), HESSIANS.values(), ids=HESSIANS.keys())
def test_the_hessian_is_scaled_twice(mode, outer, inner):
    """y³: s² times 6x."""

    def cubes(x):
        return jnp.sum(scale_gradient(x, 0.5) ** 3)

    x = jnp.array([1.5, 3.0])
    expected = [[2.25, 0], [0, 4.5]]

    assert mode(outer(inner(cubes)))(x).tolist() == expected
    assert mode(jax.hessian(cubes))(x).tolist() == expected


@each_mode
@pytest.mark.parametrize("scale", [0.5, 0.0])
def test_a_stopped_gradient_is_constant_in_the_hessian(mode, scale):
    """C39, with both operations: of stop(x)·scale(x)², only the square counts."""
    function = jax.hessian(lambda x: stop_gradient(x) * scale_gradient(x, scale) ** 2)

    assert mode(function)(3.0) == 6 * scale**2


AXES = {"x": (0, None), "scale": (None, 0), "both": (0, 0), "columns": (1, 0)}


@each_mode
@pytest.mark.parametrize("axes", AXES.values(), ids=AXES.keys())
def test_vmap_agrees_with_a_loop(mode, axes):
    generator = np.random.default_rng(0)
    x, scale = generator.normal(size=[3, 3]), np.array([0.0, 0.5, -1.0])

    def derivatives(x, scale):
        def function(x):
            return jnp.sum(scale_gradient(x, scale) ** 3)

        return jax.grad(function)(x), jax.hessian(function)(x)

    def at(values, axis, i):
        return values if axis is None else values.take(i, axis)

    x = x if axes[0] is not None else x[0]
    scale = scale if axes[1] is not None else scale[1]
    results = mode(jax.vmap(derivatives, axes))(x, scale)

    for i in range(3):
        expected = derivatives(at(x, axes[0], i), at(scale, axes[1], i))
        for result, one in zip(results, expected, strict=True):
            np.testing.assert_allclose(result[i], one, rtol=1e-12)


# Control flow and recomputation: h ← scale(w·h, ½) three times, at h = 1 and w = 2, has the
# derivative s³ w³ = 1 with respect to h.


def step(h):
    return scale_gradient(2.0 * h, 0.5)


def thrice(h):
    return step(step(step(h)))


WAYS = {
    "scan": lambda h: jax.lax.scan(lambda h, _: (step(h), None), h, length=3)[0],
    "fori_loop": lambda h: jax.lax.fori_loop(0, 3, lambda _, h: step(h), h),
    "map": lambda h: jax.lax.map(thrice, h[None])[0],
    "cond": lambda h: jax.lax.cond(h > 0, thrice, lambda h: h, h),
    "switch": lambda h: jax.lax.switch(1, [lambda h: h, thrice], h),
    "checkpoint": jax.checkpoint(thrice),
    "checkpoint in scan": lambda h: jax.lax.scan(
        jax.checkpoint(lambda h, _: (step(h), None)), h, length=3
    )[0],
    "checkpoint of all": jax.checkpoint(thrice, policy=jax.checkpoint_policies.everything_saveable),
    "jit": lambda h: jax.jit(step)(jax.jit(step)(jax.jit(step)(h))),
}


@each_mode
@pytest.mark.parametrize("way", WAYS.values(), ids=WAYS.keys())
def test_every_way_to_repeat_gives_the_same_gradient(mode, way):
    h = jnp.float32(1)

    assert mode(jax.value_and_grad(way))(h) == (8, 1)
    assert mode(lambda h: jax.jvp(way, (h,), (h,)))(h) == (8, 1)
    assert mode(jax.grad(lambda h: jax.grad(lambda h: way(h) ** 2)(h)))(h) == 2


@each_mode
def test_forward_mode_goes_through_a_loop_without_end(mode):
    def way(h):
        return jax.lax.while_loop(lambda h: h < 8, step, h)

    assert mode(lambda h: jax.jvp(way, (h,), (h,)))(1.0) == (8, 1)


@each_mode
def test_scale_may_be_carried_through_a_scan(mode):
    """½, ¼, ⅛: an annealed scale costs no trace."""

    def loss(x):
        def body(carry, _):
            h, scale = carry
            return (scale_gradient(2 * h, scale), scale / 2), None

        return jax.lax.scan(body, (x, 0.5), length=3)[0][0]

    assert mode(jax.grad(loss))(1.0) == 8 / 64


# Traces and programs


@pytest.mark.parametrize(
    ("before", "after", "kept"),
    [
        pytest.param(lambda x: x, stop_gradient, [(), (9,)], id="after"),
        pytest.param(stop_gradient, lambda x: x, [()], id="before"),
    ],
)
@covers("C75")
def test_a_scan_keeps_nothing_for_the_way_back_if_its_input_is_stopped(before, after, kept):
    """A stop of its output comes too late: each step has kept its cosine."""

    def loss(x):
        last, _ = jax.lax.scan(lambda h, _: (jnp.sin(h), None), before(x), length=9)
        return x * after(last)

    program = jax.make_jaxpr(jax.grad(loss))(1.0)

    (scan,) = (each for each in program.eqns if each.primitive.name == "scan")
    assert [result.aval.shape for result in scan.outvars] == kept


@covers("P11", "P14", "C50")
def test_a_changing_scale_causes_no_retrace():
    traces = []

    @jax.jit
    def step(x, scale):
        traces.append(scale)
        return jax.grad(lambda x: scale_gradient(x, scale) ** 2)(x)

    assert [float(step(3.0, scale)) for scale in (0.5, 0.0, -1.0)] == [3, 0, -6]
    assert len(traces) == 1


def multiplications(operation):
    """Return how often the optimised program of a small network's gradient calculates what."""

    def network(x, scale):
        return jnp.sum(jnp.tanh(operation(jnp.tanh(x), scale)))

    arguments = jnp.ones(64, jnp.float32), jnp.float32(0.3)
    program = jax.jit(jax.grad(network)).lower(*arguments).compile().as_text()
    names = "multiply", "add", "subtract", "divide"
    return [len(re.findall(rf"= \S+ {name}\(", program)) for name in names]


@pytest.mark.parametrize(
    "operation",
    [
        scale_gradient,
        lambda x, _: scale_gradient(x, 0.5),
        lambda x, _: scale_gradient(x, 0.3),
    ],
    ids=["traced", "half", "number"],
)
def test_the_compiled_gradient_has_exactly_one_multiplication_more(operation):
    multiply, *others = multiplications(lambda x, _: x)

    assert multiply > 0
    assert multiplications(operation) == [multiply + 1, *others]


def test_the_one_liner_has_more_multiplications():
    """Shows that the count sees what it should."""
    multiply, *_ = multiplications(lambda x, _: x)

    assert multiplications(lambda x, s: x * s + stop_gradient(x) * (1 - s))[0] > multiply + 1


def test_a_scale_of_one_costs_nothing_when_compiled():
    assert multiplications(lambda x, _: scale_gradient(x, 1.0)) == multiplications(lambda x, _: x)


def test_the_compiled_forward_is_nothing():
    """Not even a copy: what comes in is what goes out, so that subnormals stay."""
    program = jax.jit(scale_gradient).lower(jnp.ones(64), jnp.ones(64)).as_text()

    assert re.findall(r"stablehlo\.\w+", program) == []


# Documentation


def test_the_examples_in_the_docstrings_are_right():
    failed, attempted = doctest.testmod(module)

    assert (failed, attempted > 0) == (0, True)


# Beyond one process or one device


def test_an_exported_function_keeps_its_derivatives():
    """Also for a shape that is known only later."""
    (n,) = export.symbolic_shape("n")
    x = jax.ShapeDtypeStruct((n,), jnp.float32)
    scale = jax.ShapeDtypeStruct((), jnp.float32)
    exported = export.export(jax.jit(lambda x, scale: jnp.sum(scale_gradient(x, scale) ** 2)))

    loaded = export.deserialize(exported(x, scale).serialize(vjp_order=2)).call

    arguments = jnp.arange(3, dtype=jnp.float32), jnp.float32(0.5)
    assert loaded(*arguments) == 5
    assert jax.grad(loaded)(*arguments).tolist() == [0, 1, 2]
    assert jax.grad(lambda x, s: jnp.sum(jax.grad(loaded)(x, s)))(*arguments).tolist() == [0.5] * 3


def test_a_scale_of_another_symbolic_shape_would_enlarge():
    x, scale = (jax.ShapeDtypeStruct((n,), jnp.float32) for n in export.symbolic_shape("n, m"))

    with pytest.raises(ValueError, match=r"shape \(m,\) doesn't broadcast to x of shape \(n,\)"):
        export.export(jax.jit(scale_gradient))(x, scale)


@pytest.fixture
def mesh():
    assert jax.device_count() == 2
    return jax.make_mesh((2,), ("batch",), axis_types=(AxisType.Auto,))


BATCH = jnp.arange(1.0, 5.0)


def loss(weight, scale, batch):
    return jnp.sum(batch * scale_gradient(weight, scale) ** 2)


each_scale = pytest.mark.parametrize("scale", [0.5, 0.0, -1.0])


@each_mode
@each_scale
def test_two_devices_give_the_gradient_of_one(mode, mesh, scale):
    """Half the batch each; weight and scale on both."""
    whole, half = PartitionSpec(), PartitionSpec("batch")

    @functools.partial(jax.shard_map, mesh=mesh, in_specs=(whole, whole, half), out_specs=whole)
    def distributed(weight, scale, batch):
        return jax.lax.psum(loss(weight, scale, batch), "batch")

    for derivative in jax.grad, lambda f: jax.grad(jax.grad(f)), jax.jacfwd:
        expected = derivative(loss)(2.0, scale, BATCH)
        assert mode(derivative(distributed))(2.0, scale, BATCH) == expected


@each_mode
def test_each_device_may_have_its_own_scale(mode, mesh):
    half = PartitionSpec("batch")

    @functools.partial(jax.shard_map, mesh=mesh, in_specs=(half, half), out_specs=half)
    def distributed(x, scale):
        return scale_gradient(x, scale) ** 2

    function = jax.grad(lambda x, scale: jnp.sum(distributed(x, scale)))

    result = mode(function)(BATCH, jnp.array([0.0, 0.5, 1.0, -1.0]))
    assert result.tolist() == [0, 2, 6, -8]


@each_scale
def test_sharded_arrays_stay_sharded(mesh, scale):
    sharding = NamedSharding(mesh, PartitionSpec("batch"))
    x = jax.device_put(BATCH, sharding)

    y, result = jax.jit(jax.value_and_grad(lambda x: jnp.sum(scale_gradient(x, scale) ** 2)))(x)

    assert y == 30
    assert result.tolist() == (2 * scale * BATCH).tolist()
    assert result.sharding.is_equivalent_to(sharding, 1)
    assert scale_gradient(x, scale).sharding.is_equivalent_to(sharding, 1)


def test_float8_is_multiplied_in_float32():
    x = jnp.ones(3, ml_dtypes.float8_e4m3fn)

    _, backward = jax.vjp(lambda x: scale_gradient(x, 0.3), x)
    (result,) = backward(jnp.asarray(np.array([1, 10, 100], x.dtype)))

    expected = (np.float32([1, 10, 96]) * np.float32(0.3)).astype(x.dtype)
    assert np.asarray(result).tobytes() == expected.tobytes()
