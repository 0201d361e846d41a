"""What a kernel executes for a run of a lesson: its cells, then the referee with its check."""

import json
from pathlib import Path

from catalog.inputs import OWN

LEFT_OUT = OWN | {"show"}  # of proofs and rounds
# How the referee begins in each language, and how it is asked for something. job: a dict as the language writes it.
BEGIN = {
    "python": "from {session} import Session\n\nreferee = Session({job}, globals())",
    "R": 'source(Sys.getenv("ROSETTA_BRIDGE"))\n\nreferee <- begin_referee(r"---({job})---")',
    "julia": 'include(ENV["ROSETTA_BRIDGE"])\nusing .RefereeBridge\n\nreferee = begin_referee(raw"""{job}""");',
}
ASK = {"python": "referee.{}()", "R": "invisible(referee${}())", "julia": 'ask(referee, "{}")'}


def compose(content: dict, kind: str, proves: bool, check: Path, job: dict, language: str = "python") -> dict:
    """The notebook, as JSON has it, of a run of a lesson: ``content`` with the referee's cells behind.

    kind: "full" executes the lesson as it stands, then asks what it came to; "round" and "proof" execute its
    definitions, then the proof (`proves`) and, in a round, the timed run. job: what a Session takes, and "session", the
    module that holds it. language: of the notebook and its check.
    """
    cells = [c for c in content["cells"] if kind == "full" or not LEFT_OUT & {*c["metadata"].get("tags", [])}]
    given = job if language != "python" else {name: value for name, value in job.items() if name != "session"}
    written = _python(given) if language == "python" else json.dumps(given, indent=1)
    begin, ask = BEGIN[language].format(session=job["session"], job=written), ASK[language].format
    behind = [("The referee", begin), ("The check", check.read_text(encoding="utf-8"))]
    behind += [("The proof", ask("prove"))] if proves and kind != "full" else []
    behind += [("The timed run", ask("measure"))] if kind == "round" else []
    behind += [("The referee's count", ask("judge"))] if kind == "full" else []
    behind += [("The record", ask("record"))]
    for number, (heading, source) in enumerate(behind):
        about = {"tags": ["referee"]}
        cells.append({"cell_type": "markdown", "id": f"about-{number}", "metadata": about, "source": f"## {heading}"})
        cell = {"cell_type": "code", "id": f"referee-{number}", "metadata": about, "source": source}
        cells.append({**cell, "execution_count": None, "outputs": []})
    return {**content, "cells": cells}


def _python(job):
    """A dict of plain values as Python writes it, one entry a line."""
    lines = [f"    {name!r}: {value!r}," for name, value in job.items()]
    return "\n".join(["{", *lines, "}"])
