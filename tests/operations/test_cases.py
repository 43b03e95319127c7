"""Habits of the frameworks that cases from the field are about, where they differ.

None of it is about our code. A failure means that a framework has changed.
"""

import jax
import jax.numpy as jnp
import pytest
import tensorflow as tf
import torch

from tests.operations import in_jax, in_tensorflow, in_torch
from tests.operations.comparing import covers

# Function, x, its gradient there
TIES = {
    "tensorflow-max": (in_tensorflow, tf.reduce_max, [1.0, 1.0, 0.0], [0.5, 0.5, 0]),
    "jax-max": (in_jax, jnp.max, [1.0, 1.0, 0.0], [0.5, 0.5, 0]),
    "torch-max": (in_torch, torch.max, [1.0, 1.0, 0.0], [0.5, 0.5, 0]),
    "torch-amax": (in_torch, torch.amax, [1.0, 1.0, 0.0], [0.5, 0.5, 0]),
    "torch-max of an axis": (
        in_torch,
        lambda x: torch.max(x, 0).values,
        [1.0, 1.0, 0.0],
        [1, 0, 0],
    ),
    "tensorflow-maximum": (in_tensorflow, lambda x: tf.maximum(x, 0.0), 0.0, 1),
    "jax-maximum": (in_jax, lambda x: jnp.maximum(x, 0), 0.0, 0.5),
    "torch-maximum": (in_torch, lambda x: torch.maximum(x, torch.tensor(0.0)), 0.0, 0.5),
    "torch-clamp": (in_torch, lambda x: torch.clamp(x, min=0), 0.0, 1),
    "tensorflow-relu": (in_tensorflow, tf.nn.relu, 0.0, 0),
    "jax-relu": (in_jax, jax.nn.relu, 0.0, 0),
    "torch-relu": (in_torch, torch.relu, 0.0, 0),
}


@pytest.mark.parametrize(("framework", "function", "x", "expected"), TIES.values(), ids=TIES.keys())
@covers("C35")
def test_at_a_tie_the_gradient_is_a_convention(framework, function, x, expected):
    result = framework.gradient(function)(framework.tensor(x))

    assert framework.array(result).tolist() == expected
