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


def read(text, language):
    """The plain value that a source in ``language`` writes. Raises ValueError where it is another expression."""
    text = text.strip()
    if language == "R":
        text = re.sub(r"^c\((.*)\)$", r"(\1,)", text, flags=re.DOTALL)
        text = re.sub(r"\b(\d+)L\b", r"\1", text)
    for word, flag in zip(FLAGS[language], FLAGS["python"]):
        text = re.sub(r"\b{}\b".format(word), flag, text) if not text.startswith('"') else text
    if language == "julia" and text.startswith('"'):
        text = text.replace("\\$", "$")
    try:
        value = ast.literal_eval(text)
    except SyntaxError as error:
        raise ValueError(str(error)) from None
    return _listed(value)


def _listed(value):
    """The value with lists in the place of tuples, as JSON has it."""
    return [_listed(item) for item in value] if isinstance(value, (list, tuple)) else value
