"""The rule for all tests: on continuous integration a skip fails, unless it is named here."""

import os

import pytest

os.environ["TF_CPP_MIN_LOG_LEVEL"] = "3"  # before anything imports TensorFlow

# The id of a test, as pytest prints it: why it can't run on continuous integration.
MAY_BE_SKIPPED: dict[str, str] = {}


@pytest.hookimpl(wrapper=True)
def pytest_runtest_makereport(item, call):  # noqa: ARG001 (pytest goes by the names)
    return judged((yield))


@pytest.hookimpl(wrapper=True)
def pytest_make_collect_report(collector):  # noqa: ARG001
    return judged((yield))


def judged(report):
    """Turns the report of a skipped test, or a skipped file, into a failure."""
    expected_failure = hasattr(report, "wasxfail")
    if (
        "CI" not in os.environ
        or not report.skipped
        or expected_failure
        or report.nodeid in MAY_BE_SKIPPED
    ):
        return report
    *_, reason = report.longrepr
    report.outcome = "failed"
    report.longrepr = (
        f"{report.nodeid} was skipped on continuous integration ({reason}): "
        "make it run there, or name it in MAY_BE_SKIPPED in tests/conftest.py with the reason."
    )
    return report


@pytest.fixture
def case(request):
    """The ids of the cases from the field that a test covers: see `covers` in comparing.py."""
    return request.param
