"""Options of the tests: what of the long ones runs by default, and what the day's rotation picks."""

import datetime


def pytest_addoption(parser):
    parser.addoption("--everything", action="store_true", help="every notebook's template cells and every plant")
    parser.addoption(
        "--rotation",
        type=int,
        default=datetime.date.today().toordinal(),
        help="which sample runs by default: a number, the day's if left out",
    )


def pytest_configure(config):
    config.addinivalue_line("markers", "notebooks: executes notebooks' cells, in their own environments")
