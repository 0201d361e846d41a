"""Plain values in each language: numbers, texts, flags, and lists of them."""

import ast
import json
import re

FLAGS = {"python": ("True", "False"), "R": ("TRUE", "FALSE"), "julia": ("true", "false")}
LIST = {"python": ("(", ")"), "R": ("c(", ")"), "julia": ("(", ")")}


def written(value, language):
    """The source of a plain value in ``language``: "python", "R" or "julia".

    A whole number of R ends with L: without it, it would be a double. Raises ValueError for another kind of value.
    """
    if isinstance(value, bool):
        return FLAGS[language][0 if value else 1]
    if isinstance(value, int):
        return "{}L".format(value) if language == "R" else str(value)
    if isinstance(value, float):
        return repr(value)
    if isinstance(value, str):
        text = json.dumps(value)  # all three know its escapes
        return text.replace("$", "\\$") if language == "julia" else text
    if isinstance(value, (list, tuple)):
        begin, end = LIST[language]
        items = [written(item, language) for item in value]
        return begin + ", ".join(items) + ("," if len(items) == 1 and language != "R" else "") + end
    raise ValueError("{!r} is no plain value".format(value))


# A text in quotes, or a word outside them.
PIECE = re.compile(r"""("(?:\\.|[^"\\])*"|'(?:\\.|[^'\\])*')|\b(\w+)\b""")


def read(text, language):
    """The plain value that a source in ``language`` writes. Raises ValueError where it is another expression."""

    def python(piece):
        quoted, word = piece.groups()
        if quoted:  # Julia's texts escape the sign that begins an interpolation
            return re.sub(r"\\(\\|\$)", lambda m: m.group() if m[1] == "\\" else "$", quoted)
        if word in FLAGS[language]:
            return FLAGS["python"][FLAGS[language].index(word)]
        return word[:-1] if language == "R" and re.match(r"\d+L$", word) else word

    text = text.strip()
    if language != "python":
        text = PIECE.sub(python, re.sub(r"^c\((.*)\)$", r"(\1,)", text, flags=re.DOTALL) if language == "R" else text)
    try:
        value = ast.literal_eval(text)
    except SyntaxError as error:
        raise ValueError(str(error)) from None
    return _listed(value)


def _listed(value):
    """The value with lists in the place of tuples, as JSON has it."""
    return [_listed(item) for item in value] if isinstance(value, (list, tuple)) else value
