"""papermill, which writes parameters for R and Julia, too: `python -m runner.papermill` takes papermill's arguments."""

import sys

from papermill.cli import papermill
from papermill.translators import Translator, papermill_translators

from referee.languages import literals

COMMENTS, ASSIGNED = "# {}", {"R": "{} <- {}", "julia": "{} = {}"}


def translator(language: str):
    """papermill's translator of a language: whole numbers of R end with L, else they would be doubles."""

    class Literals(Translator):
        @classmethod
        def translate(cls, value):
            return literals.written(value, language)

        @classmethod
        def assign(cls, name, text):
            return ASSIGNED[language].format(name, text)

        @classmethod
        def comment(cls, text):
            return COMMENTS.format(text).strip()

    return Literals


for one in ASSIGNED:
    papermill_translators.register(one, translator(one))

if __name__ == "__main__":
    sys.exit(papermill())
