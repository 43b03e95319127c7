"""What the pictures of explain_gradient show."""

from collections import Counter
from xml.etree import ElementTree

import numpy as np
import pytest
import tensorflow as tf

from gradvalve import graph
from gradvalve.explain import explain_gradient
from gradvalve.tensorflow import stop_gradient


def rounded(x, y):
    return x * tf.round(y)


LINE = rounded.__code__.co_firstlineno + 1


def drawn(*args, **keywords):
    """Return the picture, its texts, and how often it has each class."""
    root = ElementTree.fromstring(explain_gradient(*args, **keywords).svg())
    texts = [each.text for each in root.iterfind(".//{*}text")]
    classes = Counter(word for each in root.iter() for word in each.get("class", "").split())
    return root, texts, Counter({key.removeprefix("gv-graph__"): n for key, n in classes.items()})


def test_the_edge_to_a_hidden_input_is_dashed_and_the_others_are_not():
    root, _, classes = drawn(rounded, 2.0, 3.0)

    assert (classes["never"], classes["edge"], classes["flow"]) == (1, 3, 3)
    assert ".gv-graph__never { stroke: #55606b; stroke-dasharray" in root[0].text


def test_the_hiding_operation_is_a_valve_with_its_line():
    root, texts, classes = drawn(rounded, 2.0, 3.0)

    assert classes["stop"] == 1
    assert texts == ["x", "y", "None", f"Round, line {LINE}", "Mul", "result"]
    said = root.get("aria-label")
    assert "y: hidden by Round, which has no gradient" in said
    assert f"test_drawing.py:{LINE}    return x * tf.round(y)" in said


def test_edges_of_the_gradient_are_equally_wide_however_many_paths_there_are():
    root, _, _ = drawn(lambda x: (x * x + x) * x, 2.0)

    widths = {each.get("stroke-width") for each in root.iterfind(".//{*}path")} - {None}
    assert len(widths) == 1


@pytest.mark.parametrize("function", [tf.identity, lambda x: tf.cast(x, tf.float64)])
def test_what_passes_everything_on_is_left_out(function):
    assert drawn(lambda x: tf.exp(function(x)), 2.0)[1] == ["x", "Exp", "result"]


def test_a_cast_to_integers_is_drawn():
    _, texts, classes = drawn(lambda x: tf.cast(tf.cast(x, tf.int32), tf.float32), 2.0)

    assert (texts[2][:10], classes["stop"], classes["never"]) == ("Cast, line", 1, 2)


def test_a_variable_that_is_read_is_next_to_its_use_and_an_unused_input_alone():
    w = tf.Variable(2.0)
    _, texts, classes = drawn(lambda _x: tf.exp(w), 2.0)

    assert texts == ["_x", "None", "w", "Exp", "result"]
    assert classes["edge"] == 2


def test_a_call_is_one_node_that_names_what_it_hides():
    @tf.function
    def inner(x, y):
        return tf.sin(x) * stop_gradient(y)

    _, texts, classes = drawn(lambda x, y: inner(x, y), 2.0, 3.0)
    line = inner.python_function.__code__.co_firstlineno + 2

    assert texts[-3:] == ["PartitionedCall", f"StopGradient, line {line}", "result"]
    assert (classes["never"], classes["edge"], classes["stop"]) == (1, 2, 0)


def test_only_what_depends_on_the_wanted_inputs_is_drawn():
    w = tf.Variable(2.0)

    assert drawn(lambda x: tf.exp(w) * tf.sin(x), 2.0, wrt=w)[1] == ["w", "Exp", "Mul", "result"]


def test_a_result_of_integers_gets_no_gradient():
    _, _, classes = drawn(lambda x: (tf.argmax([x, 3.0]), tf.exp(x)), 2.0)

    assert (classes["never"], classes["edge"]) == (3, 2)


def test_large_graphs_become_dots():
    def chain(x):
        for _ in range(50):
            x = tf.sin(x)
        return tf.round(x)

    _, texts, classes = drawn(chain, 2.0)
    assert "Sin" not in texts
    assert classes["stop-dots"] == 1


def test_hostile_names_stay_text():
    hostile = "</text><script>alert('\"&\x01{0}"
    root, texts, _ = drawn(lambda x: tf.exp(x[hostile]), {hostile: 2.0})

    assert texts[0] == "…" + f"x[{hostile!r}]"[-15:]
    assert f"x[{hostile!r}]: reached" == root.get("aria-label")
    assert not list(root.iterfind(".//{*}script"))


def test_control_characters_in_the_names_of_variables_do_not_break_the_file():
    variables = [tf.Variable(2.0, name="a\x01b")]
    assert "a b" in drawn(lambda: variables[0] * 2)[1]


def test_drawing_leaves_the_names_of_later_nodes_alone():
    before = dict(graph.name_counts)
    drawn(rounded, 2.0, 3.0)
    assert graph.name_counts == before


def test_what_tensorflow_cannot_trace_has_no_picture():
    explanation = explain_gradient(lambda x: tf.constant(np.sin(x.numpy())) * x, 2.0)
    with pytest.raises(ValueError, match="no graph to draw, since TensorFlow could not trace fn"):
        explanation.svg()
