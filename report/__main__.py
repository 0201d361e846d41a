"""`python -m report` regenerates every page; `local COLUMN` and `publish COLUMN` work on a user's own column."""

import argparse
import sys
from pathlib import Path

from catalog.declarations import DeclarationError
from catalog.files import BrokenFile
from phrases.pages import PageError
from report import pages, publish
from report.records import ROOT, ReportError


def main(arguments=None):
    """Run one command; exit with 1 and a sentence where something is wrong."""
    commands = {"pages": pages.regenerate, "local": pages.local, "publish": publish.publish}
    parser = argparse.ArgumentParser(prog="python -m report", description=__doc__)
    parser.add_argument("command", nargs="?", choices=commands, default="pages")
    parser.add_argument("folder", nargs="?", type=Path, default=ROOT, help="results/local/LABEL/PROFILE-DEVICE")
    options = parser.parse_args(arguments)
    try:
        done = commands[options.command](options.folder.absolute())  # not resolved: results/local may be a link
    except (DeclarationError, ReportError, BrokenFile, PageError, OSError) as error:
        sys.exit(f"{options.command}: {error}")
    print(done if isinstance(done, str) else "\n".join([*map(str, done), f"{len(done)} files changed"]))


if __name__ == "__main__":
    for stream in filter(None, (sys.stdout, sys.stderr)):
        stream.reconfigure(errors="backslashreplace")  # a terminal may lack a letter
    try:
        main()
    except KeyboardInterrupt:  # of the terminal: the runner says it
        sys.exit(130)
