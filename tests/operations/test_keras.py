"""What the layers promise with every backend of Keras: here the one that is set, TensorFlow.

test_keras_backends.py runs this file with the others.
"""

import doctest
import importlib
import json
import os
import subprocess
import sys

import keras
import numpy as np
import pytest
from keras import layers, ops

from tests.operations.comparing import COMPILER, HALF, array_of, assert_same_bits, covers, scaled

# Keras and PyTorch themselves use what is deprecated.
pytestmark = [
    pytest.mark.filterwarnings(f"ignore:{message}:DeprecationWarning")
    for message in ("__array__ impl", "The `native_serialization`", "`torch.jit.* is dep")
]

# test_keras_backends.py asks for a copy of the module.
module = importlib.import_module(os.environ.get("GRADVALVE_KERAS", "gradvalve.keras"))
ScaleGradient, StopGradient = module.ScaleGradient, module.StopGradient
BACKEND = keras.backend.backend()


def slope(function):
    """The function from a tensor to the gradient of the sum of function(x), a tensor or None."""
    if BACKEND == "tensorflow":
        import tensorflow as tf

        def gradient(x):
            with tf.GradientTape() as tape:
                tape.watch(x)
                y = function(x)
            return tape.gradient(y, x)

    elif BACKEND == "jax":
        import jax

        gradient = jax.grad(lambda x: ops.sum(function(x)))
    else:
        import torch

        def gradient(x):
            x = x if x.requires_grad else x.clone().requires_grad_()
            y = function(x).sum()
            return torch.autograd.grad(y, x, create_graph=True)[0] if y.requires_grad else None

    return gradient


def array(tensor):
    return ops.convert_to_numpy(tensor)


def tensor(values, dtype="float32"):
    return ops.convert_to_tensor(np.asarray(values, dtype))


each_layer = pytest.mark.parametrize(
    "layer", [StopGradient, lambda: ScaleGradient(0.3)], ids=["stop", "scale"]
)
each_dtype = pytest.mark.parametrize(
    "dtype", [*HALF, np.dtype("f4"), *([np.dtype("f8")] * (BACKEND != "jax"))], ids=str
)


def test_the_examples_in_the_docstrings_are_right():
    failed, attempted = doctest.testmod(module)

    assert (failed, attempted > 0) == (0, True)


# Values


SPECIAL = [0.0, -0.0, 1 / 3, np.inf, -np.inf, np.nan, 6e4, 1e-7, -1e-7]


@each_layer
@each_dtype
def test_forward_is_bitwise_identity(layer, dtype):
    x = ops.convert_to_tensor(array_of(SPECIAL, dtype))

    y = layer()(x)

    assert keras.backend.standardize_dtype(y.dtype) == dtype.name
    assert_same_bits(array(y), array(x))


@each_layer
@pytest.mark.parametrize("jit", [False, BACKEND != "torch" or bool(COMPILER)])
def test_a_model_predicts_bitwise_the_same(layer, jit):
    x = np.array([[*SPECIAL, np.finfo("f4").max, 1e-40]], "f4")
    model = keras.Sequential([keras.Input([x.size]), layer()])
    model.compile(jit_compile=jit)

    assert_same_bits(model.predict(x, verbose=0), x)


@each_layer
@pytest.mark.parametrize("policy", ["float16", "mixed_float16", "mixed_bfloat16", "float64"])
def test_a_dtype_policy_does_not_cast(layer, policy):
    layer = layer()
    layer.dtype_policy = policy

    result = layer({"x": tensor([1 / 3]), "h": tensor([1 / 3], "float16"), "n": tensor([1], "i4")})

    dtypes = {key: keras.backend.standardize_dtype(y.dtype) for key, y in result.items()}
    assert dtypes == {"x": "float32", "h": "float16", "n": "int32"}


# Gradients


@pytest.mark.parametrize("scale", [0.5, 0.3, 0.0, -2.0, 1e-8])
@each_dtype
def test_the_gradient_is_scaled_and_rounded_once(scale, dtype):
    weights = array_of([1.0, 1 / 3, -6e4, 1e4, 3e-3], dtype)
    other = tensor(weights, dtype)
    layer = ScaleGradient(scale, dtype="float64" if dtype == "f8" else None)

    gradient = slope(lambda x: layer(x) * other)(tensor(np.ones(5), dtype))

    assert array(gradient).tolist() == scaled(weights, scale).tolist()


def test_zero_scale_stops_even_infinite_gradients():
    layer = ScaleGradient(0)

    assert array(slope(lambda x: ops.sqrt(layer(x)))(tensor([0.0]))) == 0


def test_a_stopped_gradient_is_none_or_zero():
    gradient = slope(StopGradient())(tensor([3.0]))

    if BACKEND == "jax":
        assert gradient == 0
    else:
        assert gradient is None
    assert array(slope(lambda x: x * StopGradient()(x))(tensor([3.0]))) == 3


def test_second_order_scales_squared():
    layer = ScaleGradient(0.5)

    def cube(x):
        return layer(x) ** 3

    assert array(slope(cube)(tensor(1.5))) == 3.375
    assert array(slope(slope(cube))(tensor(1.5))) == 2.25


def test_an_array_of_scales_weighs_each_entry():
    layer = ScaleGradient([[1], [0], [-1]])

    gradient = slope(layer)(tensor(np.ones([2, 3, 2])))

    assert array(gradient).tolist() == [[[1, 1], [0, 0], [-1, -1]]] * 2


@pytest.mark.parametrize("shape", [[2, 3], [2]], ids=str)
def test_a_scale_that_enlarges_is_refused(shape):
    with pytest.raises(ValueError, match=r"scale of shape \(4, 1\) doesn't broadcast .* \(2"):
        ScaleGradient(np.ones([4, 1]))(ops.ones(shape))


def test_a_scale_along_an_unknown_dimension_is_refused():
    """TensorFlow would enlarge the gradient, silently, if the dimension were 1 in the end."""
    layer = ScaleGradient([[1], [2]])

    layer(keras.Input([2, None]))
    with pytest.raises(ValueError, match="doesn't broadcast"):
        layer(keras.Input([None, 3]))


@pytest.mark.parametrize(
    ("scale", "named"),
    [(0.5j, "complex128"), (True, "bool"), ("half", "str"), (None, "None"), ([[1], []], "list")],
    ids=repr,
)
def test_what_is_no_scale_is_refused(scale, named):
    with pytest.raises(TypeError, match=f"scale must be a real number or an array.*{named}"):
        ScaleGradient(scale)


@covers("C21")
@each_layer
def test_nests_keep_their_structure(layer):
    nest = {"x": ops.ones([2]), "others": [tensor([1, 2], "i4"), (tensor([True, False], "?"),)]}

    result = layer()(nest)

    assert result.keys() == nest.keys()
    assert array(result["others"][0]).tolist() == [1, 2]
    assert array(result["others"][1][0]).tolist() == [True, False]


# Models: loss = mean (above · below · x)², of which both gradients are known


X, Y = np.array([[1.0], [2.0]], "f4"), np.zeros([2, 1], "f4")
RATE, BELOW, ABOVE = 2**-10, 2.0, 3.0


def after_steps(scales):
    """What NumPy makes of the two weights in one step of descent for each of the scales."""
    below, above = BELOW, ABOVE
    for scale in scales:
        slopes = 2 * above**2 * below * np.mean(X**2), 2 * below**2 * above * np.mean(X**2)
        below, above = below - RATE * scale * slopes[0], above - RATE * slopes[1]
    return [below, above]


def dense(name, weight, **options):
    start = keras.initializers.Constant(weight)
    return layers.Dense(1, use_bias=False, kernel_initializer=start, name=name, **options)


def functional(layer, **options):
    inputs = keras.Input([1])
    outputs = dense("above", ABOVE, **options)(layer(dense("below", BELOW, **options)(inputs)))
    return keras.Model(inputs, outputs)


def sequential(layer):
    return keras.Sequential([keras.Input([1]), dense("below", BELOW), layer, dense("above", ABOVE)])


def subclassed(layer):
    class Model(keras.Model):
        def __init__(self):
            super().__init__()
            self.below, self.valve = dense("below", BELOW), layer
            self.above = dense("above", ABOVE)

        def call(self, x):
            return self.above(self.valve(self.below(x)))

    return Model()


def fitted(model, steps=1, callbacks=(), **options):
    """Return the two weights after these steps of descent, an epoch each."""
    model.compile(keras.optimizers.SGD(RATE), "mse", **options)
    model.fit(X, Y, epochs=steps, batch_size=2, verbose=0, callbacks=list(callbacks))
    return weights(model)


def weights(model):
    return [model.get_layer(name).kernel.numpy().item() for name in ("below", "above")]


MODES = {
    "eager": {"run_eagerly": True},
    "graph": {"jit_compile": False},
    "jit": {"jit_compile": True},
}
if BACKEND == "torch" and not COMPILER:
    del MODES["jit"]
each_mode = pytest.mark.parametrize("mode", MODES.values(), ids=MODES.keys())


@pytest.mark.parametrize("build", [functional, sequential, subclassed])
def test_fit_scales(build):
    assert fitted(build(ScaleGradient(0.25)), 2) == pytest.approx(after_steps([0.25] * 2))


@each_mode
@covers("C59")
@pytest.mark.filterwarnings("ignore:Gradients do not exist:UserWarning")  # None, so it's right
def test_what_lies_below_a_stop_stays_as_it_is_and_trainable(mode):
    model = functional(StopGradient())

    assert fitted(model, **mode) == pytest.approx(after_steps([0]))
    assert len(model.trainable_weights) == 2


class Annealed(keras.callbacks.Callback):
    def __init__(self, layer, scales):
        super().__init__()
        self.layer, self.scales = layer, scales

    def on_epoch_begin(self, epoch, logs=None):  # noqa: ARG002
        self.layer.scale.assign(self.scales[epoch])


class AnnealedByBatch(Annealed):
    def on_epoch_begin(self, epoch, logs=None):  # noqa: ARG002
        self.epoch = epoch

    def on_train_batch_begin(self, batch, logs=None):  # noqa: ARG002
        if BACKEND == "jax":
            self.model.jax_state_sync()
        self.layer.scale.assign(self.scales[2 * self.epoch + batch])


@each_mode
def test_a_callback_anneals_the_scale(mode):
    layer = ScaleGradient(5)
    scales = [1.0, 0.5, -0.25, 0.0]

    result = fitted(functional(layer), 4, [Annealed(layer, scales)], **mode)

    assert result == pytest.approx(after_steps(scales))


def test_a_callback_anneals_the_scale_within_an_epoch():
    layer = ScaleGradient(5)
    scales = [1.0, 0.5, -0.25, 0.0]
    model = functional(layer)
    model.compile(keras.optimizers.SGD(RATE), "mse")

    twice = np.concatenate([X, X]), np.concatenate([Y, Y])
    by_batch = AnnealedByBatch(layer, scales)
    options = {"epochs": 2, "batch_size": 2, "verbose": 0, "shuffle": False}
    model.fit(*twice, callbacks=[by_batch], **options)

    assert weights(model) == pytest.approx(after_steps(scales))


def test_a_new_scale_compiles_nothing_anew():
    if BACKEND == "torch":  # it runs the layer in every step
        return
    calls = []

    class Counted(ScaleGradient):
        def call(self, x):
            calls.append(x)
            return super().call(x)

    layer = Counted(1)
    model = functional(layer)
    fitted(model)
    before = len(calls)
    model.fit(X, Y, epochs=3, batch_size=2, verbose=0, callbacks=[Annealed(layer, [0, 0.5, 2])])

    assert len(calls) == before


def test_the_scale_is_a_weight_that_is_not_trained():
    layer = ScaleGradient(0.5)

    assert layer.trainable_weights == []
    assert layer.non_trainable_weights == [layer.scale]


@pytest.mark.parametrize("policy", ["mixed_float16", "mixed_bfloat16"])
@pytest.mark.parametrize("scale", [0.25, 1e-8])
def test_mixed_precision_trains_as_full_precision_does(policy, scale):
    model = functional(ScaleGradient(scale, dtype=policy), dtype=policy)
    optimizer = keras.optimizers.SGD(RATE)
    if policy == "mixed_float16":
        optimizer = keras.optimizers.LossScaleOptimizer(optimizer, initial_scale=2**8)
    model.compile(optimizer, "mse")
    model.fit(X, Y, batch_size=2, verbose=0)

    assert keras.backend.standardize_dtype(model.layers[2].scale.dtype) == "float32"
    assert weights(model) == pytest.approx(after_steps([scale]), rel=1e-4)


@covers("C72")
def test_a_layer_that_is_not_trained_lets_the_gradient_pass():
    layer = dense("frozen", BELOW)
    layer.trainable = False

    assert array(slope(layer)(tensor([[1.0]]))) == BELOW


@each_layer
def test_masks_pass(layer):
    words = np.array([[1, 2, 0, 0]])
    embedded = layers.Embedding(3, 2, mask_zero=True)
    mean = layers.GlobalAveragePooling1D()
    inputs = keras.Input([4], dtype="int32")

    def model(between):
        return keras.Model(inputs, mean(between(embedded(inputs))))

    right = array(model(lambda x: x)(words))
    np.testing.assert_array_equal(array(model(layer())(words)), right)
    nested = model(lambda x: layer()({"x": [x]})["x"][0])
    np.testing.assert_array_equal(array(nested(words)), right)
    unmasked = model(lambda x: 1 * layer()(ops.stop_gradient(x)))
    assert not np.array_equal(array(unmasked(words)), right)


@each_layer
def test_symbolic_nests_keep_shapes_and_dtypes(layer):
    inputs = {
        "x": keras.Input([None, 3], dtype="float16", name="x"),
        "n": keras.Input([], dtype="int32", name="n"),
    }

    outputs = layer()(inputs)

    for key, x in inputs.items():
        assert (outputs[key].shape, outputs[key].dtype) == (x.shape, x.dtype)
    result = keras.Model(inputs, outputs)({"x": ops.ones([1, 2, 3]), "n": ops.ones([1])})
    assert (result["x"].shape, result["n"].shape) == ((1, 2, 3), (1,))


# Saving


@covers("P15")
@pytest.mark.filterwarnings("ignore:Gradients do not exist:UserWarning")
def test_a_saved_model_loads_with_its_rule_and_its_annealed_scale(tmp_path):
    layer = ScaleGradient(5)
    model = functional(layer)
    layer.scale.assign(0.25)
    model.save(tmp_path / "model.keras")
    stopped = functional(StopGradient())
    stopped.save(tmp_path / "stopped.keras")

    loaded = keras.saving.load_model(tmp_path / "model.keras")
    assert float(loaded.layers[2].scale.value) == 0.25
    assert fitted(loaded) == pytest.approx(after_steps([0.25]))
    assert fitted(keras.saving.load_model(tmp_path / "stopped.keras")) == after_steps([0])


def test_a_config_gives_the_layer_back():
    layer = ScaleGradient([0.5, -1.0], name="valve", dtype="mixed_float16")

    again = ScaleGradient.from_config(json.loads(json.dumps(layer.get_config())))

    assert again.get_config() == layer.get_config()
    assert array(again.scale).tolist() == [0.5, -1]


OTHER_BACKEND = {"tensorflow": "jax", "jax": "torch", "torch": "tensorflow"}
LOADED = f"""
import json
import sys
import numpy as np

folder, exported = sys.argv[1:]
x = np.array([[1.0], [2.0]], "f4")
if exported.endswith(".pt2"):
    import torch
    values = torch.export.load(exported).module()(torch.from_numpy(x[:1])).detach().numpy()
else:
    import tensorflow as tf
    loaded = tf.saved_model.load(exported)
    values = loaded.serve(x).numpy()
assert "{module.__name__}" not in sys.modules

import keras
try:
    keras.saving.load_model(folder + "/model.keras")
except TypeError as error:
    unknown = str(error)
import {module.__name__}
model = keras.saving.load_model(folder + "/model.keras")
predicted = model.predict(x, verbose=0)
model.compile(keras.optimizers.SGD({RATE}), "mse")
model.fit(x, 0 * x, batch_size=2, verbose=0)
weights = [model.get_layer(name).kernel.numpy().item() for name in ("below", "above")]
print(json.dumps([values.tolist(), unknown, predicted.tolist(), weights]))
"""


def test_models_outlive_their_process(tmp_path):
    """A saved one is loaded with another backend and trained; an exported one needs no Keras."""
    layer = ScaleGradient(5)
    model = functional(layer)
    layer.scale.assign(0.25)
    model.save(tmp_path / "model.keras")
    exported = tmp_path / ("model.pt2" if BACKEND == "torch" else "model")
    kind = "torch" if BACKEND == "torch" else "tf_saved_model"
    model.export(exported, format=kind, verbose=False)

    environment = os.environ | {"KERAS_BACKEND": OTHER_BACKEND[BACKEND]}
    command = [sys.executable, "-c", LOADED, tmp_path, exported]
    done = subprocess.run(map(str, command), env=environment, capture_output=True, text=True)

    assert done.returncode == 0, done.stderr
    values, unknown, predicted, trained = json.loads(done.stdout)
    assert predicted == [[6.0], [12.0]]
    assert values == predicted[: 1 if BACKEND == "torch" else 2]  # a .pt2 has its batch size
    assert "Could not locate class 'ScaleGradient'" in unknown  # import the module before
    assert trained == pytest.approx(after_steps([0.25]))
