"""What the layers promise with TensorFlow alone, and what the plain operations say of Keras."""

import importlib

import keras
import numpy as np
import pytest
import tensorflow as tf

from tests.operations import in_tensorflow
from tests.operations.comparing import covers
from tests.operations.test_keras import (
    Annealed,
    ScaleGradient,
    StopGradient,
    after_steps,
    fitted,
    functional,
    pytestmark,  # noqa: F401
)

each_mode = pytest.mark.parametrize(
    "mode", [lambda function: function, tf.function], ids=["eager", "graph"]
)


def test_mirrored_devices_give_the_gradient_of_one():
    devices = [device.name for device in tf.config.list_logical_devices("CPU")]
    scales = [1.0, 0.5, -0.25]

    strategy = tf.distribute.MirroredStrategy(devices)
    with strategy.scope():
        layer = ScaleGradient(5)
        model = functional(layer)
        result = fitted(model, 3, [Annealed(layer, scales)])

    assert strategy.num_replicas_in_sync == 2
    assert result == pytest.approx(after_steps(scales))


@each_mode
def test_forward_mode_is_scaled(mode):
    layer = ScaleGradient(0.5)
    square = mode(in_tensorflow.jvp(lambda x: layer(x) ** 2))
    hessian = mode(in_tensorflow.jvp(in_tensorflow.gradient(lambda x: layer(x) ** 3)))

    assert square(tf.constant(3.0)) == 3
    assert hessian(tf.constant(1.5)) == 2.25


def test_the_rule_of_keras_itself_has_no_forward_mode():
    @keras.ops.custom_gradient
    def halved(x):
        return x, lambda upstream: 0.5 * upstream

    assert in_tensorflow.jvp(lambda x: halved(x) ** 2)(tf.constant(3.0)) == 6  # unscaled


@covers("P15")
@pytest.mark.parametrize(
    "function",
    [tf.stop_gradient, keras.ops.stop_gradient, lambda x: keras.ops.stop_gradient(x)],
    ids=["TensorFlow's", "Keras's", "lambda"],
)
def test_a_saved_lambda_does_not_load_by_itself(function, tmp_path):
    inputs = keras.Input([2])
    outputs = keras.layers.Lambda(function, output_shape=(2,))(inputs)
    keras.Model(inputs, outputs).save(tmp_path / "model.keras")

    with pytest.raises((TypeError, ValueError), match="deserializ"):
        keras.saving.load_model(tmp_path / "model.keras")


@each_mode
def test_a_sparse_gradient_is_scaled(mode):
    layer = ScaleGradient(0.5)
    gradient = mode(in_tensorflow.gradient(lambda x: tf.gather(layer(x), [1, 1])))

    assert tf.convert_to_tensor(gradient(tf.ones([3]))).numpy().tolist() == [0, 1, 0]


@pytest.mark.parametrize(
    ("composite", "values"),
    [
        (lambda v: tf.SparseTensor([[0, 1], [2, 0]], v, [3, 2]), lambda x: x.values),
        (lambda v: tf.RaggedTensor.from_row_lengths(v, [2, 0]), lambda x: x.flat_values),
    ],
    ids=["sparse", "ragged"],
)
def test_composite_tensors_are_mapped_over_their_values(composite, values):
    v = tf.constant([1.0, 2.0])

    scale = in_tensorflow.gradient(lambda v: values(ScaleGradient(0.5)(composite(v))))
    stop = in_tensorflow.gradient(lambda v: values(StopGradient()(composite(v))))

    assert scale(v).numpy().tolist() == [0.5, 0.5]
    assert stop(v) is None


@covers("C02")
def test_an_optimizer_leaves_alone_what_has_no_gradient():
    a, b = keras.Variable(2.0), keras.Variable(3.0)

    with tf.GradientTape() as tape:
        y = a * StopGradient()(keras.ops.convert_to_tensor(b))
    gradients = tape.gradient(y, [a.value, b.value])
    assert (float(gradients[0]), gradients[1]) == (3, None)

    optimizer = keras.optimizers.Adam(0.5)
    with pytest.warns(UserWarning, match="Gradients do not exist"):
        optimizer.apply_gradients(zip(gradients, [a, b], strict=True))
    assert (a.numpy(), b.numpy()) == (pytest.approx(1.5, rel=1e-5), 3)

    with pytest.raises(ValueError, match="No gradients provided"):
        optimizer.apply_gradients([(None, a), (None, b)])


@covers("C79")
def test_a_stopped_advantage_trains_the_policy_and_not_the_value():
    policy, value = tf.Variable(0.5), tf.Variable(2.0)
    reward = 5.0

    def gradients(of_value):
        with tf.GradientTape() as tape:
            loss = -policy * (reward - of_value(value * 1.0))
        return tape.gradient(loss, [policy, value])

    assert gradients(lambda v: v) == [-3, 0.5]
    assert gradients(StopGradient()) == [-3, None]


@covers("C58")
@pytest.mark.parametrize("framework", ["tensorflow", "jax", "torch"])
@pytest.mark.parametrize("wrap", [lambda x: x, lambda x: {"x": [x]}], ids=["alone", "nest"])
def test_a_plain_operation_names_the_layers_for_a_keras_tensor(framework, wrap):
    plain = importlib.import_module(f"gradvalve.{framework}")
    x = wrap(keras.Input([3]))

    for operation in plain.stop_gradient, lambda x: plain.scale_gradient(x, 0.5):
        with pytest.raises(TypeError, match=r"KerasTensor; .* gradvalve.keras.ScaleGradient"):
            operation(x)
    model = keras.Model(x, ScaleGradient(0.5)(x))
    assert isinstance(model, keras.Model)


def test_an_exported_model_keeps_the_rule(tmp_path):
    model = keras.Sequential([keras.Input([2]), ScaleGradient(0.5)])
    model.export(tmp_path / "model", verbose=False)
    loaded = tf.saved_model.load(tmp_path / "model")

    gradient = in_tensorflow.gradient(loaded.serve)(tf.ones([1, 2]))

    np.testing.assert_array_equal(gradient, [[0.5, 0.5]])
