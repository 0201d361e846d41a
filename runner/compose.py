"""What a kernel executes for a run of a lesson: its cells, then the referee with its check."""

from pathlib import Path

from catalog.inputs import OWN

LEFT_OUT = OWN | {"show"}  # of proofs and rounds


def compose(content: dict, kind: str, proves: bool, check: Path, job: dict) -> dict:
    """The notebook, as JSON has it, of a run of a lesson: ``content`` with the referee's cells behind.

    kind: "full" executes the lesson as it stands, then asks what it came to; "round" and "proof" execute its
    definitions, then the proof (`proves`) and, in a round, the timed run. job: what a Session takes, and "session", the
    module that holds it.
    """
    cells = [c for c in content["cells"] if kind == "full" or not LEFT_OUT & {*c["metadata"].get("tags", [])}]
    given = {name: value for name, value in job.items() if name != "session"}
    begin = f"from {job['session']} import Session\n\nreferee = Session({_plain(given)}, globals())"
    behind = [("The referee", begin), ("The check", check.read_text(encoding="utf-8"))]
    behind += [("The proof", "referee.prove()")] if proves and kind != "full" else []
    behind += [("The timed run", "referee.measure()")] if kind == "round" else []
    behind += [("The referee's count", "referee.judge()")] if kind == "full" else []
    behind += [("The record", "referee.record()")]
    for number, (heading, source) in enumerate(behind):
        about = {"tags": ["referee"]}
        cells.append({"cell_type": "markdown", "id": f"about-{number}", "metadata": about, "source": f"## {heading}"})
        cell = {"cell_type": "code", "id": f"referee-{number}", "metadata": about, "source": source}
        cells.append({**cell, "execution_count": None, "outputs": []})
    return {**content, "cells": cells}


def _plain(job):
    """A dict of plain values as Python writes it, one entry a line."""
    lines = [f"    {name!r}: {value!r}," for name, value in job.items()]
    return "\n".join(["{", *lines, "}"])
