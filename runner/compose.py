"""What a kernel executes for a run of a lesson: its cells, then the referee with its check."""

import json
from pathlib import Path

from catalog.inputs import OWN

# How the referee begins in each language, and how it is asked for something. job: a dict as the language writes it.
BEGIN = {
    "python": "from {session} import Session\n\nreferee = Session({job}, globals())",
    "R": 'source(Sys.getenv("ROSETTA_BRIDGE"))\n\nreferee <- begin_referee(r"---({job})---")',
    "julia": 'include(ENV["ROSETTA_BRIDGE"])\nusing .RefereeBridge\n\nreferee = begin_referee(raw"""{job}""");',
}
ASK = {"python": "referee.{}()", "R": "invisible(referee${}())", "julia": 'ask(referee, "{}")'}


def compose(content: dict, kind: str, proves: bool, check: Path, job: dict, language: str = "python") -> dict:
    """The notebook, as JSON has it, of a run of a lesson: ``content`` with the referee's cells.

    kind: "full" executes the lesson as it stands, asks behind its own run what that came to (later cells may train the
    model on), and counts at the end; "round" and "proof" execute its definitions, then the proof (`proves`) and, in a
    round, the timed run. job: what a Session takes, and "session", the module that holds it. language: of the notebook
    and its check.
    """
    cells = [c for c in content["cells"] if kind == "full" or not OWN & {*c["metadata"].get("tags", [])}]
    given = job if language != "python" else {name: value for name, value in job.items() if name != "session"}
    written = _python(given) if language == "python" else json.dumps(given, indent=1)
    begin, ask = BEGIN[language].format(session=job["session"], job=written), ASK[language].format
    run = [("The referee", begin), ("The check", check.read_text(encoding="utf-8"))]
    run += [("The proof", ask("prove"))] if proves and kind != "full" else []
    run += [("The timed run", ask("measure"))] if kind == "round" else []
    run += [("The referee's count", ask("judge"))] if kind == "full" else []
    end = [("What an epoch takes", ask("count"))] if kind == "full" else []
    place = max((at + 1 for at, c in enumerate(cells) if "run" in c["metadata"].get("tags", [])), default=len(cells))
    cells = [*cells[:place], *_cells(run, "run"), *cells[place:], *_cells([*end, ("The record", ask("record"))], "end")]
    return {**content, "cells": cells}


def _cells(headed, name):
    """The referee's cells of (heading, source) pairs, with ids that begin with ``name``."""
    about, found = {"tags": ["referee"]}, []
    for number, (heading, source) in enumerate(headed):
        found.append(
            {"cell_type": "markdown", "id": f"about-{name}-{number}", "metadata": about, "source": f"## {heading}"}
        )
        cell = {"cell_type": "code", "id": f"referee-{name}-{number}", "metadata": about, "source": source}
        found.append({**cell, "execution_count": None, "outputs": []})
    return found


def _python(job):
    """A dict of plain values as Python writes it, one entry a line."""
    lines = [f"    {name!r}: {value!r}," for name, value in job.items()]
    return "\n".join(["{", *lines, "}"])
