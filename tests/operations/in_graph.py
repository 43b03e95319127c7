"""The reference engine, for the claims in test_claims.py, which say what each name is.

Here it isn't under test, which it is in tests/graph: it is the oracle. Its rules are those of a
derivation on paper, so that a claim that holds for it is no habit of the frameworks.
"""

import importlib
import os
from types import SimpleNamespace

import numpy as np

graph = importlib.import_module(os.environ.get("GRADVALVE_MODULE", "gradvalve.graph"))

NAME = "graph"
scale_gradient = graph.scale_gradient
stop_gradient = graph.stop_gradient

MODES = {"evaluated": lambda function: function}
DTYPES = [np.dtype("f8")]
UNTOUCHED = {}
SCALE_KINDS = {"number": float, "constant": graph.constant, "variable": lambda s: tensor(s)}
REFUSED_AS_X = {}
NO_PATH = (None,)

FORWARD = "it has no forward mode"
NESTS = "its operations take one node"
SHAPES = "its shapes are () and (n,)"
ERRORS = "its errors say it in their own words, which tests/graph knows"
MASKS = "it has no where: a vector has no branches"
ABSENT = {
    **dict.fromkeys(
        ["test_forward_mode_is_scaled", "test_a_stopped_gradient_has_no_tangent"], FORWARD
    ),
    **dict.fromkeys(["forward", "forward over reverse", "reverse over forward"], FORWARD),
    **dict.fromkeys(["forward over forward", "forward over reverse over reverse"], FORWARD),
    "forward thrice": FORWARD,
    **dict.fromkeys(
        ["test_nests_are_scaled_leaf_by_leaf", "test_nests_are_stopped_leaf_by_leaf"], NESTS
    ),
    "test_any_nest_keeps_its_structure": NESTS,
    "test_leaves_without_gradient_pass_untouched_in_a_nest": NESTS,
    "C16": NESTS,
    "test_forward_keeps_every_bit_pattern": SHAPES,
    "test_scale_broadcasts_to_x_but_never_beyond": SHAPES,
    "test_scale_that_would_enlarge_x_is_an_error_that_names_both_shapes": ERRORS,
    "test_scale_must_be_a_real_number": ERRORS,
    "test_scale_must_not_be_a_complex_tensor": "it has no complex numbers",
    "test_scale_may_be_vectorised": "it has no vmap",
    "test_x_may_be_vectorised": "it has no vmap",
    **dict.fromkeys(["C25", "C29"], "it has no round, which has no gradient anyway"),
    **dict.fromkeys(["C30", "C32", "C33", "test_stopping_does_not"], MASKS),
}


functions = SimpleNamespace(
    exp=graph.exp,
    log=graph.log,
    tanh=graph.tanh,
    sum=graph.reduce_sum,
    max=graph.reduce_max,
    softmax=graph.softmax,
    log_softmax=lambda x: x - graph.log_sum_exp(x),
)


def tensor(values):
    return graph.variable("x", np.asarray(values, float).tolist())


def array(node):
    return np.array(graph.evaluate(node))


def tree_map(function, nest):
    if isinstance(nest, (list, tuple)):
        return type(nest)(tree_map(function, each) for each in nest)
    return function(nest)


def vjp(function, cotangent=None):
    def value_and_gradient(x):
        leaves = []
        tree_map(leaves.append, x)
        y = function(x)
        loss = graph.reduce_sum(y) if cotangent is None else graph.dot(y, cotangent)
        gradients = iter(graph.gradients(loss, leaves))
        return y, tree_map(lambda _: next(gradients), x)

    return value_and_gradient


def gradient(function):
    return lambda x: vjp(function)(x)[1]
