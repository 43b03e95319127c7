import os

import pytest

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"  # before anything imports TensorFlow


@pytest.fixture
def case(request):
    """The ids of the cases that a test covers; comparing.covers gives them."""
    return request.param
