"""A batch to learn from, small enough to look at."""

import numpy as np
import pytest

MEMBERS, SIZE, STEPS, PIXELS, ACTIONS = 2, 3, 4, 6, 3


@pytest.fixture
def batch():
    """Random numbers in float64; the last element's game is over after its second step."""
    from gradvalve.muzero.games import Batch

    rng = np.random.default_rng(0)
    lead = MEMBERS, SIZE
    policy = rng.dirichlet(np.ones(ACTIONS), (*lead, STEPS + 1))
    policy[:, -1, 2:] = 0
    return Batch(
        image=rng.normal(size=(*lead, PIXELS)),
        actions=rng.integers(ACTIONS, size=(*lead, STEPS)),
        value=rng.normal(size=(*lead, STEPS + 1)),
        reward=rng.normal(size=(*lead, STEPS + 1)),
        policy=policy,
    )


@pytest.fixture
def new_network():
    """A function that makes networks for the batch, in float64."""
    from gradvalve.muzero.network import Network

    def new(seeds=range(MEMBERS), dtype="float64"):
        return Network(PIXELS, ACTIONS, list(seeds), hidden=5, width=8, dtype=dtype)

    return new
