"""`python -m website` builds the site into a folder; `--serve` shows it, too."""

import argparse
import functools
import http.server
import os
import re
import subprocess
import sys
import time
from pathlib import Path

from catalog.declarations import DeclarationError
from catalog.files import BrokenFile
from report.records import ReportError
from website import build

ROOT = Path(__file__).resolve().parent.parent


def repository(root: Path) -> str:
    """ "OWNER/NAME" of the checkout on GitHub, from GITHUB_REPOSITORY or git's origin; "" where there is none."""
    if named := os.environ.get("GITHUB_REPOSITORY"):
        return named
    command = ["git", "-C", str(root), "remote", "get-url", "origin"]
    try:
        origin = subprocess.run(command, capture_output=True, text=True, check=False).stdout
    except OSError:
        return ""
    found = re.search(r"github\.com[:/]([\w.-]+/[\w.-]+?)(?:\.git)?\s*$", origin)
    return found[1] if found else ""


class Fresh(http.server.SimpleHTTPRequestHandler):
    """Shows files; a browser asks each time whether one has changed."""

    def end_headers(self):
        """Says so in the answer."""
        self.send_header("Cache-Control", "no-cache")
        super().end_headers()


def serve(folder: Path, port: int):
    """Shows the folder at http://127.0.0.1:PORT/ until it is interrupted."""
    handler = functools.partial(Fresh, directory=str(folder))
    with http.server.ThreadingHTTPServer(("127.0.0.1", port), handler) as server:
        print(f"http://127.0.0.1:{server.server_address[1]}/   (Ctrl-C ends it)", flush=True)
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            print()


def main(arguments=None) -> int:
    """Builds, and serves if asked; 1 and a sentence where the declarations or the records cannot be read."""
    parser = argparse.ArgumentParser(prog="python -m website", description=__doc__)
    parser.add_argument("--root", type=Path, default=ROOT, help="the checkout")
    parser.add_argument("--out", type=Path, help="the folder (default: .site in the checkout)")
    parser.add_argument("--repository", help="OWNER/NAME on GitHub, for links to it (default: git's origin)")
    parser.add_argument("--serve", type=int, nargs="?", const=8000, metavar="PORT", help="then show it here")
    options = parser.parse_args(arguments)
    folder, began = options.out or options.root / ".site", time.monotonic()
    named = repository(options.root) if options.repository is None else options.repository
    try:
        site = build.build(options.root.resolve(), named)
        changed = build.write(site.files, folder)
    except (DeclarationError, ReportError, BrokenFile, OSError) as error:
        print(f"site: {error}", file=sys.stderr)
        return 1
    for sentence in site.said:
        print(f"note: {sentence}", file=sys.stderr)
    pages = sum(name.endswith("index.html") for name in site.files)
    size = sum(map(len, site.files.values())) / 1e6
    took = time.monotonic() - began
    print(f"{folder}: {pages} pages, {size:.0f} MB, {len(changed)} files changed, {took:.0f} s")
    if options.serve is None:
        print("to see it: ./run_all.sh site --serve")
        return 0
    try:
        serve(folder, options.serve)
    except (OSError, OverflowError) as error:
        print(f"site: port {options.serve}: {error}; choose another: --serve PORT", file=sys.stderr)
        return 1
    return 0


if __name__ == "__main__":
    for stream in filter(None, (sys.stdout, sys.stderr)):
        stream.reconfigure(errors="backslashreplace")  # a terminal may lack a letter
    try:
        sys.exit(main())
    except KeyboardInterrupt:
        print("\nsite: interrupted", file=sys.stderr)
        sys.exit(130)
