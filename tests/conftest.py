"""Options of the tests."""


def pytest_addoption(parser):
    parser.addoption("--all-frameworks", action="store_true", help="run the tests that execute notebooks of 2018, too")
