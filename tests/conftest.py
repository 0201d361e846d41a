"""Options of the tests, what of the long ones runs by default, and the repositories that several modules need."""

import datetime
import shutil

import hypothesis
import pytest

from tests import golden
from tests.fixtures import fake_repo

hypothesis.settings.register_profile("rosetta", deadline=None)  # a slow hour is no failure
hypothesis.settings.load_profile("rosetta")


def pytest_addoption(parser):
    parser.addoption("--everything", action="store_true", help="every lesson's cells pasted elsewhere, and every plant")
    parser.addoption(
        "--rotation",
        type=int,
        default=datetime.date.today().toordinal(),
        help="which sample runs by default: a number, the day's if left out",
    )


def pytest_collection_modifyitems(config, items):
    items.sort(key=lambda item: item.get_closest_marker("first") is None)
    if config.getoption("loadgroup", False):  # pytest-xdist 3.8 writes a group to a name that pytest 9.2 does not read
        for item in items:
            if item.get_closest_marker("xdist_group") and "@" not in item.nodeid:
                item._id = f"{item.nodeid}@{item.get_closest_marker('xdist_group').args[0]}"


@pytest.fixture
def repo(tmp_path):
    """A repository in miniature."""
    return fake_repo.make(tmp_path / "repo")


@pytest.fixture(scope="module")
def checkout(tmp_path_factory):
    """A copy of this project."""
    return golden.checkout(tmp_path_factory.mktemp("checkout"))


@pytest.fixture
def root(checkout):
    """The copy without a published record."""
    shutil.rmtree(checkout / "results")
    (checkout / "results" / "published").mkdir(parents=True)
    return checkout
