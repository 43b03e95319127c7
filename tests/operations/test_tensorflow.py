"""What the two operations promise about TensorFlow's own things."""

import doctest
import re
import subprocess
import sys
from dataclasses import dataclass

import numpy as np
import pytest
import tensorflow as tf

from tests.operations.comparing import covers
from tests.operations.in_tensorflow import (
    MODES,
    each_mode,
    each_mode_but_xla,
    each_scale_kind,
    gradient,
    jvp,
    module,
    scale_gradient,
    stop_gradient,
    vjp,
)


@covers("C83")
def test_tensorflow_has_no_scale_gradient_of_its_own():
    assert not hasattr(tf, "scale_gradient")


# What x may be


@each_mode
def test_variables_are_read(mode):
    variable = tf.Variable([3.0])

    def gradients():
        with tf.GradientTape(persistent=True) as tape:
            scaled = scale_gradient(variable, 0.5) ** 2
            stopped = stop_gradient(variable) * variable
        return tape.gradient(scaled, variable), tape.gradient(stopped, variable)

    assert mode(gradients)() == ([3.0], [3.0])


@each_mode
@pytest.mark.parametrize("x", [3.0, np.float32(3), np.array(3, "f4")], ids=lambda x: str(type(x)))
def test_numbers_and_arrays_become_tensors(mode, x):
    for operation in stop_gradient, lambda x: scale_gradient(x, 0.5):
        result = mode(lambda operation=operation: operation(x))()

        assert tf.is_tensor(result)
        assert (result.dtype, result.shape, result.numpy()) == (tf.float32, (), 3)


@each_mode_but_xla  # it knows no strings
def test_strings_pass_untouched(mode):
    words = tf.constant([b"a", b"", "ä".encode()])

    for operation in stop_gradient, lambda x: scale_gradient(x, 0.5):
        result = mode(lambda x, operation=operation: operation({"words": x}))(words)

        assert result["words"].numpy().tolist() == words.numpy().tolist()
    assert scale_gradient({"name": "dense"}, 0.5)["name"] == b"dense"


@each_mode
@each_scale_kind
def test_a_scale_of_any_kind_gets_no_gradient(mode, kind):
    """Variables too, which tapes watch by themselves, and not at the second order either."""
    x, scale = tf.constant(3.0), kind(0.5)

    def gradients():
        with tf.GradientTape() as outer, tf.GradientTape(persistent=True) as tape:
            for watched in x, scale:
                if tf.is_tensor(watched):
                    outer.watch(watched)
                    tape.watch(watched)
            y = scale_gradient(x, scale) ** 2
            first = tape.gradient(y, x)
        to_scale = tape.gradient(y, scale) if tf.is_tensor(scale) else None
        again_to_scale = outer.gradient(first, scale) if tf.is_tensor(scale) else None
        return first, to_scale, again_to_scale

    assert mode(gradients)() == (3.0, None, None)


@each_mode
@covers("C15")
def test_a_detour_over_integers_has_no_gradient(mode):
    """Nobody has to ask for the straight-through estimator, which C25 is."""
    rounded = gradient(lambda x: tf.cast(tf.cast(x, tf.int32), tf.float32))

    assert mode(rounded)(tf.constant(2.5)) is None


@covers("C24")
@each_mode
def test_a_comparison_has_no_gradient(mode):
    hard = gradient(lambda x: tf.cast(tf.equal(x, tf.reduce_max(x)), tf.float32))

    assert mode(hard)(tf.constant([1.0, 2.0])) is None


@dataclass
class Point:
    x: tf.Tensor
    name: str

    def __tf_flatten__(self):
        return (self.name,), (self.x,)

    @classmethod
    def __tf_unflatten__(cls, metadata, components):
        return cls(*components, *metadata)


@each_mode
def test_dataclasses_that_tensorflow_knows_are_nests(mode):
    def gradient_of_point(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            point = scale_gradient(Point(x, "p"), 0.5)
            assert point.name == "p"
            y = stop_gradient(point).x * point.x
        return tape.gradient(y, x)

    assert mode(gradient_of_point)(tf.constant(3.0)) == 1.5


def ragged():
    return tf.ragged.constant([[1.0, 2.0], [], [3.0]])


def sparse():
    return tf.SparseTensor([[0, 1], [2, 0]], [1.0, 2.0], [3, 2])


def slices():
    return tf.IndexedSlices(tf.ones([2, 3]), tf.constant([4, 0]), tf.constant([5, 3]))


COMPOSITES = {
    "ragged": (ragged, lambda x: x.flat_values),
    "sparse": (sparse, lambda x: x.values),
    "slices": (slices, lambda x: x.values),
}
each_composite = pytest.mark.parametrize(
    ("build", "values"), COMPOSITES.values(), ids=COMPOSITES.keys()
)


@each_mode_but_xla
@each_composite
@pytest.mark.parametrize(
    ("operation", "factor"),
    [(stop_gradient, None), (lambda x: scale_gradient(x, 0.5), 0.5)],
    ids=["stop", "scale"],
)
def test_composite_tensors_are_mapped_over_their_values(mode, build, values, operation, factor):
    x = build()

    def value_and_gradient(x):
        with tf.GradientTape() as tape:
            tape.watch(values(x))
            y = operation(x)
            loss = tf.reduce_sum(values(y))
        return y, tape.gradient(loss, values(x))

    y, result = mode(value_and_gradient)(x)

    assert type(y) is type(x)
    before, after = (tf.nest.flatten(t, expand_composites=True) for t in (x, y))
    for old, new in zip(before, after, strict=True):
        np.testing.assert_array_equal(new, old)
    if factor is None:
        assert result is None
    else:
        np.testing.assert_array_equal(result, np.full(values(x).shape, factor))


@pytest.mark.parametrize("build", [ragged, sparse, slices])
def test_composite_tensors_take_only_a_scalar_scale(build):
    x = build()

    scale_gradient([x], tf.constant(0.5))
    with pytest.raises(ValueError, match=rf"shape \(2,\), but a {type(x).__name__} .* scalar"):
        scale_gradient([x], [0.5, 1.0])


@pytest.mark.parametrize(
    "operation", [stop_gradient, lambda x: scale_gradient(x, 0.5)], ids=["stop", "scale"]
)
@pytest.mark.parametrize("wrap", [lambda x: x, lambda x: {"x": [x]}], ids=["C58", "nest"])
def test_a_keras_tensor_gets_an_error_that_says_what_to_do(operation, wrap):
    with pytest.raises(TypeError, match=r"KerasTensor; .* layers gradvalve.keras.ScaleGradient"):
        operation(wrap(tf.keras.Input([3])))


def test_a_layer_may_call_the_operation():
    class Valve(tf.keras.layers.Layer):
        def call(self, x):
            return scale_gradient(x, 0.5)

    inputs = tf.keras.Input([3])
    model = tf.keras.Model(inputs, Valve()(inputs))

    np.testing.assert_array_equal(gradient(model)(tf.ones([1, 3])), np.full([1, 3], 0.5))


# Sparse gradients

ROWS = [1, 3, 1]
SCALES = {
    "C121-number": 0.5,
    "C121-tensor": tf.constant(0.5),
    "C121-variable": tf.Variable(0.5),
    "column": np.arange(1.0, 4.0),
    "row of columns": np.arange(1.0, 4.0)[None],
    "of each row": np.arange(5.0)[:, None],
    "of each entry": np.arange(15.0).reshape(5, 3),
}


@each_mode
@pytest.mark.parametrize("scale", SCALES.values(), ids=SCALES.keys())
@pytest.mark.parametrize("shape", [[5, 3], [None, 3], [None, None], None], ids=str)
def test_sparse_gradients_stay_sparse(mode, scale, shape):
    table = tf.Variable(tf.ones([5, 3]), shape=shape)

    def lookup():
        with tf.GradientTape() as tape:
            y = tf.gather(scale_gradient(table, scale), ROWS)
        return tape.gradient(y, table)

    result = mode(lookup)()

    assert isinstance(result, tf.IndexedSlices)
    np.testing.assert_array_equal(result.indices, ROWS)
    expected = np.broadcast_to(np.asarray(scale), [5, 3])[ROWS]
    np.testing.assert_array_equal(result.values, expected)


@tf.function
def test_rows_get_their_scales_even_if_nothing_is_known_of_the_gradient():
    @tf.custom_gradient
    def lookup(table):
        def rows(upstream):
            shapeless = tf.raw_ops.PlaceholderWithDefault(input=upstream, shape=None)
            return tf.IndexedSlices(shapeless, ROWS)

        return tf.gather(table, ROWS), rows

    scale = tf.range(5.0)[:, None]
    result = gradient(lambda table: lookup(scale_gradient(table, scale)))(tf.ones([5, 3]))

    assert result.values.shape.rank is None
    tf.debugging.assert_equal(result.values, tf.gather(tf.broadcast_to(scale, [5, 3]), ROWS))


@each_mode
def test_the_second_derivative_through_a_lookup_is_scaled_twice(mode):
    def second(table):
        def first(table):
            with tf.GradientTape() as tape:
                tape.watch(table)
                y = tf.gather(scale_gradient(table, 0.5), ROWS) ** 2
            return tf.convert_to_tensor(tape.gradient(y, table).values)

        return tf.convert_to_tensor(gradient(first)(table))

    expected = np.zeros([5, 1])
    np.add.at(expected, ROWS, 0.5)

    np.testing.assert_array_equal(mode(second)(tf.ones([5, 1])), expected)


# Shapes that only the run knows


def dynamic(mode, x_shape, scale_shape):
    @tf.function(
        input_signature=[tf.TensorSpec(x_shape), tf.TensorSpec(scale_shape)],
        jit_compile=mode == "xla",
    )
    def value_and_gradient(x, scale):
        return vjp(lambda x: scale_gradient(x, scale))(x)

    return value_and_gradient


each_graph_mode = pytest.mark.parametrize("mode", ["function", "xla"])
each_signature = pytest.mark.parametrize(
    "signature", [([None], [None]), ([None], None), (None, [None]), (None, None)], ids=str
)


@each_graph_mode
@each_signature
def test_shapes_that_only_the_run_knows_may_broadcast(mode, signature):
    function = dynamic(mode, *signature)

    for scale in [2.0, 3.0], [2.0]:
        y, result = function(tf.ones(2), scale)

        np.testing.assert_array_equal(y, [1, 1])
        np.testing.assert_array_equal(result, np.broadcast_to(scale, 2))


@each_graph_mode
@each_signature
@pytest.mark.parametrize("size", [1, 2])
def test_shapes_that_only_the_run_knows_may_not_enlarge(mode, signature, size):
    function = dynamic(mode, *signature)

    with pytest.raises(tf.errors.InvalidArgumentError) as error:
        function(tf.ones(size), [1.0, 2.0, 3.0])
    assert "scale_must_broadcast_to_x" in str(error.value) or mode == "xla"
    assert re.search(rf"\[3\].*\[{size}\]", str(error.value))


@each_graph_mode
@pytest.mark.parametrize("x_shape", [[None], None], ids=str)
def test_a_scale_of_known_shape_may_not_enlarge_either(mode, x_shape):
    function = dynamic(mode, x_shape, [3])

    with pytest.raises(tf.errors.InvalidArgumentError):
        function(tf.ones(1), [1.0, 2.0, 3.0])
    assert function(tf.ones(3), [1.0, 2.0, 3.0])[1].numpy().tolist() == [1, 2, 3]


@pytest.mark.parametrize(
    ("signature", "checked"),
    [(([None, 3], [3]), False), ((None, []), False), (([None, 3], [None]), True)],
    ids=["a scale for each feature", "scalar", "unknown"],
)
def test_shapes_known_well_enough_need_no_check_when_run(signature, checked):
    graph = dynamic("function", *signature).get_concrete_function().graph

    assert ("BroadcastTo" in {operation.type for operation in graph.get_operations()}) is checked


@covers("C18")
def test_shape_and_dtype_are_those_of_x():
    """Also after a trace for a less known shape, which TensorFlow likes to reuse."""
    for operation in stop_gradient, lambda x: scale_gradient(x, 0.5):
        for shape in None, [None], [None, 3], [2, 3], [4]:
            spec = tf.TensorSpec(shape, tf.float16)

            (y,) = tf.function(operation).get_concrete_function(spec).outputs

            assert tf.TensorSpec(y.shape, y.dtype) == spec


# Traces


@each_graph_mode
@covers("C53", "P14")
def test_a_changing_scale_causes_no_retrace(mode):
    """Tensors and variables are read anew in each step."""
    variable = tf.Variable(0.5)

    @MODES[mode]
    def step(x, scale):
        return gradient(lambda x: scale_gradient(scale_gradient(x, variable), scale))(x)

    for scale in 0.5, 0.0, -1.0:
        variable.assign(scale)
        assert step(tf.constant(3.0), tf.constant(2.0)) == 2 * scale
        assert step(tf.constant(3.0), tf.constant(scale)) == scale**2
    assert step.experimental_get_tracing_count() == 1


def test_numbers_share_one_trace_inside_the_operation():
    counts = []

    for scale in 0.1, 0.2, 0.3:
        tf.function(lambda x, scale=scale: scale_gradient(x, scale))(tf.ones([2, 5]))
        counts.append(module._scaled_by_call.experimental_get_tracing_count())

    assert counts[0] == counts[1] == counts[2] > 0


def multiplications(operation):
    """Return how often the optimised program of a small network's gradient calculates what."""

    def network(x):
        return tf.reduce_sum(tf.tanh(operation(tf.tanh(x))))

    function = tf.function(gradient(network), jit_compile=True)
    program = function.experimental_get_compiler_ir(tf.ones(64))(stage="optimized_hlo")
    names = "multiply", "add", "subtract", "divide"
    return [len(re.findall(rf"= \S+ {name}\(", program)) for name in names]


@pytest.mark.parametrize("scale", [0.5, 0.3, tf.Variable(0.3)], ids=["half", "number", "variable"])
def test_the_compiled_gradient_has_exactly_one_multiplication_more(scale):
    multiply, *others = multiplications(lambda x: x)

    assert multiply > 0
    assert multiplications(lambda x: scale_gradient(x, scale)) == [multiply + 1, *others]


def test_the_one_liner_has_more_multiplications():
    """Shows that the count sees what it should."""
    multiply, *_ = multiplications(lambda x: x)

    assert multiplications(lambda x: x * 0.3 + stop_gradient(x) * 0.7)[0] > multiply + 1


def test_a_scale_of_one_costs_nothing_when_compiled():
    assert multiplications(lambda x: scale_gradient(x, 1.0)) == multiplications(lambda x: x)


# Documentation


def test_the_examples_in_the_docstrings_are_right():
    failed, attempted = doctest.testmod(module)

    assert (failed, attempted > 0) == (0, True)


# Tapes


@each_mode
def test_persistent_tapes_give_the_gradient_twice(mode):
    def gradients(x):
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            y = scale_gradient(x, 0.5) ** 2
        return tape.gradient(y, x), tape.gradient(y, x)

    assert mode(gradients)(tf.constant(3.0)) == (3.0, 3.0)


@each_mode
@covers("C01")
def test_unconnected_gradients_may_be_asked_for_as_zero(mode):
    def gradient_or_zero(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            y = 3 * stop_gradient(x)
        return tape.gradient(y, x, unconnected_gradients="zero")

    assert mode(gradient_or_zero)(tf.constant(2.0)) == 0


CONNECTIONS = {
    "straight": stop_gradient,
    "function": tf.function(stop_gradient),
    "cond": lambda x: tf.cond(x > 0, lambda: stop_gradient(x), lambda: x),
    "while": lambda x: tf.while_loop(
        lambda y: y < 9, lambda y: (stop_gradient(2 * y),), (x,), maximum_iterations=3
    )[0],
}


@each_mode
@pytest.mark.parametrize("function", CONNECTIONS.values(), ids=CONNECTIONS.keys())
@covers("C03")
def test_nothing_flows_back_through_control_flow(mode, function):
    """None or 0, by what the trace connects."""
    result = mode(gradient(function))(tf.constant(3.0))

    assert result is None or result == 0


@covers("C42")
def test_where_a_second_derivative_is_forbidden_there_is_an_error_and_no_zero():
    def forbidden(x):
        return tf.raw_ops.PreventGradient(input=scale_gradient(x, 0.5), message="not here")

    with pytest.raises(LookupError, match="not here"):
        gradient(forbidden)(tf.constant(1.0))


# Forward mode


@each_scale_kind
def test_forward_mode_sees_through_a_function(kind):
    scale = kind(0.5)
    function = tf.function(lambda x: scale_gradient(x, scale) ** 2)

    assert jvp(function)(tf.constant(3.0)) == 3.0


@each_mode_but_xla
def test_forward_mode_is_scaled_in_nests_and_composites(mode):
    def tangent(x):
        with tf.autodiff.ForwardAccumulator(x, tf.ones_like(x)) as accumulator:
            y = scale_gradient({"a": x, "b": tf.RaggedTensor.from_row_lengths(x, [1, 2])}, 0.5)
        return accumulator.jvp(y["a"]), accumulator.jvp(y["b"].flat_values)

    np.testing.assert_array_equal(mode(tangent)(tf.ones(3)), np.full([2, 3], 0.5))


# Control flow, vectorisation, recomputation: h ← scale(w·h, ½) three times, at h = 1 and w = 2, has
# the derivative s³ w³ = 1 with respect to h.


def step(h):
    return scale_gradient(2.0 * h, 0.5)


def by_while_loop(h):
    # XLA wants to know how often.
    return tf.while_loop(lambda _: True, lambda h: (step(h),), (h,), maximum_iterations=3)[0]


def by_autograph(h):
    for _ in tf.range(3):
        h = step(h)
    return h


def by_scan(h):
    return tf.scan(lambda h, _: step(h), tf.range(3), initializer=h)[-1]


def by_map(h):
    return tf.map_fn(lambda h: step(step(step(h))), h[None])[0]


def by_vectorised_map(h):
    return tf.vectorized_map(lambda h: step(step(step(h))), h[None])[0]


def by_recomputation(h):
    return tf.recompute_grad(lambda h: step(step(step(h))))(h)


def by_cond(h):
    return tf.cond(h > 0, lambda: step(step(step(h))), lambda: h)


WAYS = [by_while_loop, by_autograph, by_scan, by_map, by_vectorised_map, by_recomputation, by_cond]


@each_mode
@pytest.mark.parametrize("way", WAYS, ids=lambda way: way.__name__)
def test_every_way_to_repeat_gives_the_same_gradient(mode, way):
    h = tf.constant(1.0)

    y, result = mode(vjp(way))(h)

    assert (y, result) == (8.0, 1.0)


@each_mode
@pytest.mark.parametrize("pfor", [True, False], ids=["pfor", "loop"])
@pytest.mark.parametrize("scale", [0.5, 0.0, [0.5, 2.0, -1.0]], ids=str)
def test_jacobians_are_scaled(mode, pfor, scale):
    if mode is MODES["eager"] and not pfor:
        mode = tf.function  # TensorFlow takes the loop only in graphs
    expected = np.diag(np.broadcast_to(scale, 3)) * 2

    def jacobians(x):
        with tf.GradientTape(persistent=True) as tape:
            tape.watch(x)
            y = scale_gradient(x, scale) ** 2
        return (
            tape.jacobian(y, x, experimental_use_pfor=pfor),
            tape.batch_jacobian(y, x, experimental_use_pfor=pfor),
        )

    jacobian, batched = mode(jacobians)(tf.ones([2, 3]))

    np.testing.assert_array_equal(batched, [expected, expected])
    for row in 0, 1:
        np.testing.assert_array_equal(jacobian[row, :, row], expected)
        np.testing.assert_array_equal(jacobian[row, :, 1 - row], np.zeros([3, 3]))


@each_mode
@covers("C37")
def test_the_hessian_is_scaled_twice(mode):
    """y³ at 1.5: s² times 6x."""

    def hessian(x):
        with tf.GradientTape() as tape:
            tape.watch(x)
            first = gradient(lambda x: scale_gradient(x, 0.5) ** 3)(x)
        return tape.jacobian(first, x)

    np.testing.assert_array_equal(mode(hessian)(tf.constant([1.5, 3.0])), [[2.25, 0], [0, 4.5]])


@each_mode
def test_scale_may_be_mapped(mode):
    def square(scale):
        return gradient(lambda x: scale_gradient(x, scale) ** 2)(tf.constant(3.0))

    result = mode(lambda scales: tf.map_fn(square, scales))(tf.constant([0.0, 0.5, 1.0]))

    assert result.numpy().tolist() == [0, 3, 6]


def test_a_dataset_may_map_it():
    numbers = tf.data.Dataset.from_tensor_slices([1.0, 2.0])

    assert [*numbers.map(lambda x: scale_gradient(x, 0.5))] == [1.0, 2.0]


# Beyond one process or one device

LOADED = """
import sys
import tensorflow as tf

loaded = tf.saved_model.load(sys.argv[1])
x = tf.constant([1.0, float("inf"), -0.0])
for scale in 0.5, 0.0, -1.0:
    loaded.scale.assign(scale)
    with tf.GradientTape(persistent=True) as tape:
        tape.watch(x)
        y = loaded.forward(x)
    assert y.numpy().tobytes() == x.numpy().tobytes(), y
    result = tape.gradient(y, x)
    assert result.numpy().tolist() == [scale / 2] * 3, result
    assert loaded.gradient(x).numpy().tolist() == [scale / 2] * 3
"""


def test_a_saved_model_works_in_a_new_process(tmp_path):
    class Model(tf.Module):
        def __init__(self):
            self.scale = tf.Variable(0.5)

        @tf.function(input_signature=[tf.TensorSpec([None])])
        def forward(self, x):
            return scale_gradient(scale_gradient(x, self.scale), 0.5)

        @tf.function(input_signature=[tf.TensorSpec([None])])
        def gradient(self, x):
            return gradient(self.forward)(x)

    tf.saved_model.save(Model(), tmp_path)

    done = subprocess.run(
        [sys.executable, "-c", LOADED, tmp_path], cwd=tmp_path, capture_output=True, text=True
    )
    assert done.returncode == 0, done.stderr


@each_graph_mode
def test_mirrored_devices_give_the_gradient_of_one(mode):
    """Two devices with half the batch each, and a scale that lives on both."""
    strategy = tf.distribute.MirroredStrategy(["CPU:0", "CPU:1"])
    with strategy.scope():
        weight, scale = tf.Variable(2.0), tf.Variable(0.5, trainable=False)
    batch = tf.constant([1.0, 2.0, 3.0, 4.0])

    def loss_gradient(x):
        with tf.GradientTape() as tape:
            loss = tf.reduce_sum(x * scale_gradient(weight, scale) ** 2)
        return tape.gradient(loss, weight)

    @tf.function
    def distributed(x):
        def replica(x):
            return MODES[mode](loss_gradient)(x)

        return strategy.reduce("SUM", strategy.run(replica, [x]), axis=None)

    halves = strategy.experimental_distribute_values_from_function(
        lambda context: batch[2 * context.replica_id_in_sync_group :][:2]
    )

    assert strategy.num_replicas_in_sync == 2
    assert distributed(halves) == loss_gradient(batch) == 10 * 2 * 2.0 * 0.5
