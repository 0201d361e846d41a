"""Files that are there whole or not at all."""

import contextlib
import json
import os
import shutil
import tempfile
from pathlib import Path


def write_text(path: Path, text: str):
    """Writes a file atomically: beside its place, onto the disk, then moved there. Raises OSError."""
    path.parent.mkdir(parents=True, exist_ok=True)
    handle, name = tempfile.mkstemp(dir=path.parent, prefix=".", suffix=".tmp")
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        os.chmod(name, 0o644)
        os.replace(name, path)
    except BaseException:
        with contextlib.suppress(OSError):
            os.unlink(name)
        raise


def write_json(path: Path, value):
    """Writes JSON atomically."""
    write_text(path, json.dumps(value, indent=1, sort_keys=True) + "\n")


def check_room(folder: Path, least_bytes: int):
    """Raises OSError, with a sentence, unless `folder` can be written to and has `least_bytes` free."""
    try:
        write_text(folder / ".probe", "x" * 4096)
        (folder / ".probe").unlink()
    except OSError as error:
        raise OSError(f"cannot write to {folder}: {error.strerror or error}. Free or change it, then run again.") from None
    free = shutil.disk_usage(folder).free
    if free < least_bytes:
        raise OSError(f"{folder} has {free >> 20} MB free, {least_bytes >> 20} MB are needed. Free some, then run again.")
