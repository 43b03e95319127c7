"""What the page says about cost: each such sentence is a test. None of them takes a time."""

import json
from pathlib import Path

import jupytext
import pytest

ROOT = Path(__file__).parents[2]
REWRITINGS = ("one-liner", "summands swapped", "remainder stopped", "difference scaled")


@pytest.fixture(scope="module")
def ratio(printed):
    """A function that returns a ratio of the committed measurement."""
    return lambda *place: float(printed[", ".join(place)])


@pytest.fixture(scope="module")
def rows():
    data = json.loads((ROOT / "docs/data/cost.json").read_text(encoding="utf-8"))
    return {(row["framework"], row["mode"], row["variant"]): row for row in data["rows"]}


def nodes(printed, name):
    return tuple(map(int, printed[f"{name}, nodes"].split(" + ")))


@pytest.mark.parametrize("name", ["scale_gradient", "custom gradient"])
def test_forward_nothing_and_backward_one_multiplication(printed, name):
    assert nodes(printed, name) == (0, 1)
    assert printed[f"{name}, instructions"] == "1"


def test_the_one_instruction_is_a_multiplication(notebook):
    traces = notebook.cells["instructions"].figure["data"]
    (ours,) = [trace for trace in traces if trace["name"] == "scale_gradient"]

    assert dict(zip(ours["x"], ours["y"], strict=True)) == {"multiply": 1, "add": 0, "subtract": 0}


def test_the_compiled_forward_program_is_that_of_the_identity(printed):
    assert printed["scale_gradient forward as identity"] == "True"


@pytest.mark.parametrize("name", REWRITINGS)
def test_a_one_line_variant_computes_three_or_four_times_forward(printed, name):
    forward, backward = nodes(printed, name)

    assert forward in (3, 4)
    assert backward == 1


@pytest.mark.parametrize("name", REWRITINGS)
def test_xla_cannot_simplify_it(printed, name):
    assert int(printed[f"{name}, instructions"]) == 4


def test_both_pages_look_at_the_same_variants(notebook):
    other = jupytext.read(ROOT / "notebooks/exactness.py")
    (variants,) = [cell.source for cell in other.cells if cell.metadata.title == "variants"]

    assert notebook.cells["variants"].code == variants


@pytest.mark.parametrize("mode", ["eager", "tf.function"])
def test_for_large_tensors_ours_takes_as_long_as_one_multiplication(ratio, mode):
    assert ratio("TensorFlow", mode, "scale_gradient", "large") < 1.25
    for name in REWRITINGS:
        assert ratio("TensorFlow", mode, name, "large") > 2.5


def test_compiled_all_take_about_the_same_time(ratio):
    for name in (*REWRITINGS, "scale_gradient"):
        assert 0.7 < ratio("TensorFlow", "compiled", name, "large") < 1.4
        assert 0.7 < ratio("TensorFlow", "compiled", name, "small") < 1.4


def test_for_small_tensors_in_eager_mode_the_tape_costs_more_than_the_arithmetic(rows):
    def time(variant):
        return rows["TensorFlow", "eager", variant]["both"]["64"]

    assert time("identity") > 2 * time("one multiplication")


def test_for_small_tensors_ours_costs_no_more_than_a_bare_custom_gradient(ratio):
    small = [
        ratio("TensorFlow", "eager", name, "small") for name in ("scale_gradient", "one-liner")
    ]

    assert small[0] <= ratio("TensorFlow", "eager", "custom gradient", "small")
    assert 0.75 < small[0] / small[1] < 1.3


def test_for_small_tensors_the_differences_vanish_in_a_traced_function(ratio):
    for name in (*REWRITINGS, "custom gradient", "scale_gradient"):
        assert 0.8 < ratio("TensorFlow", "tf.function", name, "small") < 1.25


def test_in_pytorch_a_hook_is_cheaper_for_small_tensors_and_the_one_liner_dear_for_large_ones(
    ratio,
):
    cheap, ours = (ratio("PyTorch", "eager", name, "small") for name in ("hook", "scale_gradient"))
    assert cheap < ours

    dear = ratio("PyTorch", "eager", "one-liner", "large")
    assert dear > 2 * ratio("PyTorch", "eager", "scale_gradient", "large")


def test_ours_takes_no_memory_forward_and_one_tensor_backward(rows):
    for mode in ("eager", "tf.function"):
        memory = rows["TensorFlow", mode, "scale_gradient"]["memory"]
        assert (memory["forward"], memory["both"]) == pytest.approx((0, 1), abs=0.1)


def test_the_others_take_memory(rows):
    most = [
        rows["TensorFlow", mode, name]["memory"]["forward"]
        for name in REWRITINGS
        for mode in ("eager", "tf.function")
    ]
    assert min(most) > 0.9
    assert max(most) == pytest.approx(rows["TensorFlow", "eager", "one-liner"]["memory"]["forward"])


def test_compiled_each_takes_one_tensor_for_its_result(rows):
    for name in (*REWRITINGS, "identity", "scale_gradient"):
        memory = rows["TensorFlow", "compiled", name]["memory"]
        assert memory["forward"] == pytest.approx(1, abs=0.1)


def test_the_data_say_where_they_were_measured():
    data = json.loads((ROOT / "docs/data/cost.json").read_text(encoding="utf-8"))

    assert data["machine"]["processor"]
    assert {"Python", "tensorflow-cpu", "torch", "jax"} <= data["versions"].keys()
    assert "rounds" in data["method"]
