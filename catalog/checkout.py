"""Which commit of the project is checked out, as records hold it."""

import os
import shutil
import subprocess
from pathlib import Path


def commit(root: Path):
    """The commit that is checked out, "+" behind it where files differ from it.

    None where that cannot be vouched for: without git, in a checkout that is none of its own, or that git cannot read.
    """
    if not shutil.which("git"):
        return None
    environ = {name: value for name, value in os.environ.items() if not name.startswith("GIT_")}
    git = ["git", "-C", str(root), "-c", "core.fsmonitor=false"]
    asked = (["rev-parse", "--show-toplevel"], ["rev-parse", "--short=12", "HEAD"])
    asked += (["status", "--porcelain", "--untracked-files=normal", "--ignore-submodules=none"],)
    options = {"check": False, "capture_output": True, "text": True, "env": environ}
    said = [subprocess.run([*git, *words], **options) for words in asked]
    if any(done.returncode for done in said) or Path(said[0].stdout.strip()).resolve() != Path(root).resolve():
        return None
    return said[1].stdout.strip() + "+" * bool(said[2].stdout)
