"""papermill, which writes parameters for R and Julia, too: a program that takes papermill's arguments.

It is called by its path, since PYTHONPATH is the kernel's.
"""

import sys
from pathlib import Path

sys.modules.setdefault("rfc3987_syntax", None)  # as in catalog/__init__.py: nbformat imports jsonschema

from papermill.cli import papermill  # noqa: E402
from papermill.translators import Translator, papermill_translators  # noqa: E402

sys.path.append(str(Path(__file__).resolve().parent.parent.parent))
from referee.languages import literals  # noqa: E402

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
