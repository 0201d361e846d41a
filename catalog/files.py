"""JSON and TOML files as they are read: each that is broken is named. Standard library only."""

import json
import tomllib
from pathlib import Path


class BrokenFile(ValueError):
    """A file that cannot be read; the message names it, what is wrong, and what helps."""


def as_json(path: Path) -> dict:
    """The object that a JSON file holds. Raises BrokenFile, and OSError where it is not there."""
    return _parsed(path, json.loads)


def as_toml(path: Path) -> dict:
    """The table of a TOML file. Raises BrokenFile, and OSError where it is not there."""
    return _parsed(path, tomllib.loads)


def _parsed(path, parse):
    try:
        text = Path(path).read_text(encoding="utf-8")
    except UnicodeDecodeError as error:
        raise BrokenFile(f"{path} is broken: no UTF-8 text ({error})") from None
    try:
        found = parse(text)
    except ValueError as error:
        merge = ["a merge left its markers in it"] * ("\n<<<<<<< " in f"\n{text}")
        why = merge or ["it is empty"] * (not text.strip()) or [str(error)]
        raise BrokenFile(f"{path} is broken: {why[0]}") from None
    if not isinstance(found, dict):
        raise BrokenFile(f"{path} is broken: it holds no dict")
    return found
