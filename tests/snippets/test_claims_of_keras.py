"""What the page on Keras says beyond tests/operations: test_keras.py, and for several devices
test_tensorflow.py, test_jax.py and test_torch_ddp.py.
"""

from pathlib import Path

import keras
import pytest
import tensorflow as tf

from gradvalve import tensorflow as plain
from gradvalve.keras import ScaleGradient, StopGradient
from gradvalve_site import snippets

FOLDER = Path(__file__).parents[2] / "docs" / "snippets"


def printed(topic):
    return snippets.values(FOLDER / topic / "with_keras.txt")


def test_the_encoder_moves_half_as_far_as_the_head():
    moved = {name: float(value) for name, value in printed("keras_layers").items()}

    assert moved["encoder_moved"] == moved["head_moved"] / 2 > 0


@pytest.mark.parametrize(
    "operation",
    [plain.stop_gradient, lambda x: plain.scale_gradient(x, 0.5)],
    ids=["stop", "scale"],
)
def test_the_plain_functions_name_the_layers(operation):
    with pytest.raises(TypeError, match=r"gradvalve\.keras\.ScaleGradient\(scale\).*StopGradient"):
        operation(keras.Input([1]))


def test_the_saved_file_contains_the_last_scale():
    assert printed("keras_anneal") == {"loaded_scale": str(1 / 4)}


def test_an_exported_model_keeps_its_gradients():
    assert printed("keras_export") == {
        "scaled_value": "[[9.]]",
        "scaled_gradient": "[[3.]]",
        "stopped_value": "[[9.]]",
        "stopped_gradient": "None",
    }


def test_two_devices_end_where_one_does():
    ends = printed("keras_devices")

    assert ends["one_device"] == ends["two_devices"] != "1.0"


@pytest.mark.parametrize(
    "function", [tf.stop_gradient, keras.ops.stop_gradient], ids=["tensorflow", "keras"]
)
def test_case_p15_a_lambda_is_loaded_only_with_custom_objects(function, tmp_path):
    path = tmp_path / "model.keras"
    keras.Sequential([keras.Input([1]), keras.layers.Lambda(function)]).save(path)

    for options in {}, {"safe_mode": False}:
        with pytest.raises(TypeError, match=r"could not be deserialized"):
            keras.saving.load_model(path, **options)
    keras.saving.load_model(path, custom_objects={"stop_gradient": function})


def test_the_layers_have_one_scale_and_no_weight_that_is_trained():
    assert (len(StopGradient().weights), len(ScaleGradient(0.5).weights)) == (0, 1)
    assert ScaleGradient(0.5).trainable_weights == []
