"""Reads a notebook's cells and finds what breaks the contract. Plain Python 3.6: plant.py runs in every kernel."""

import ast
import builtins
import itertools
import json
import linecache
import symtable

TRAINING = "parameters setup bootstrap data model loss train_step train evaluate weights proof run show record".split()
INFERENCE = "parameters setup bootstrap data model infer weights proof run show record".split()
EXECUTED = itertools.count()
DROPPED = {"proof", "show"}  # what rounds 2 to 6 leave out
TEMPLATE = ["parameters", "setup", "model", "loss", "train_step", "train", "evaluate"]


def code_cells(path):
    """[(source, tags)] of a notebook's code cells."""
    with open(str(path), encoding="utf-8") as stream:
        cells = json.load(stream)["cells"]
    return [("".join(c["source"]), c["metadata"].get("tags", [])) for c in cells if c["cell_type"] == "code"]


def execute(source, namespace):
    """Run a cell in a namespace (a dict), its source kept where inspect finds it: TensorFlow's AutoGraph reads it."""
    name = "<cell {}>".format(next(EXECUTED))
    linecache.cache[name] = (len(source), None, source.splitlines(True), name)
    exec(compile(source, name, "exec"), namespace)


def mistakes(cells):
    """What is wrong with ``cells``, [(source, tags)] of a training notebook, in sentences; [] for nothing."""
    return run_mistakes(cells) + name_mistakes(cells)


def run_mistakes(cells):
    """The run must hand Data's own arrays to the functions that were proven, in the orders that timing.Run gives."""
    found = []
    runs = [tree for tags, tree in parsed(cells) if "run" in tags]
    calls = {"train_epoch": [], "evaluate": []}
    for tree in runs:
        for node in ast.walk(tree):
            if isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id in calls:
                calls[node.func.id].append([a.id if isinstance(a, ast.Name) else None for a in node.args[2:4]])
                if node.func.id == "evaluate":
                    calls["evaluate"][-1] = [a.id if isinstance(a, ast.Name) else None for a in node.args[1:3]]
    wanted = {"train_epoch": ["x_train", "y_train"], "evaluate": ["x_test", "y_test"]}
    for name, arguments in wanted.items():
        if calls[name] != [arguments] * max(1, len(calls[name])):
            found.append("the run cell must call {}(..., {}, {}, ...)".format(name, *arguments))
    loops = [node for tree in runs for node in ast.walk(tree) if isinstance(node, ast.For)]

    def handed_on(node):  # a name as it is, or through a function of the notebook's own
        own = isinstance(node, ast.Call) and isinstance(node.func, ast.Name) and node.func.id not in dir(builtins)
        return getattr(node.args[0] if own and node.args else node, "id", None)

    called = [call for loop in loops for call in ast.walk(loop) if isinstance(call, ast.Call)]
    trained = [call for call in called if getattr(call.func, "id", "") == "train_epoch" and len(call.args) > 4]
    handed = {handed_on(call.args[4]) for call in trained}
    orders = [getattr(loop.target, "id", None) for loop in loops if getattr(loop.iter, "id", "") == "run"]
    if len(orders) != 1 or orders[0] not in handed:
        found.append("the run cell must hand each order of `for order in run` to train_epoch")
    for tags, tree in parsed(cells):
        changed = {"x_train", "y_train", "x_test", "y_test"} & stored(tree)
        if changed and "data" not in tags and set(tags) - DROPPED:
            found.append("a cell tagged {} changes {}".format(", ".join(tags), ", ".join(sorted(changed))))
    return found


def name_mistakes(cells):
    """No cell that every round runs may need a name that only a cell tagged proof or show defines."""
    kept, dropped = set(dir(builtins)), set()
    for source, tags in cells:
        (dropped if set(tags) & DROPPED else kept).update(names(source)[0])
    found = []
    for source, tags in cells:
        if not set(tags) & DROPPED:
            missing = sorted((names(source)[1] - kept) & dropped)
            if missing:
                found.append(
                    "a cell tagged {} needs {}, which only a cell tagged proof or show defines".format(
                        ", ".join(tags), ", ".join(missing)
                    )
                )
    return found


def parsed(cells):
    """[(tags, syntax tree)] of the cells."""
    return [(tags, ast.parse(source)) for source, tags in cells]


def names(source):
    """(names that a cell gives a value to at its own level, global names that it needs at any depth)."""
    top, needed = symtable.symtable(source, "cell", "exec"), set()
    todo = [top]
    while todo:
        table = todo.pop()
        todo += table.get_children()
        needed |= {s.get_name() for s in table.get_symbols() if s.is_referenced() and (table is top or s.is_global())}
    return {s.get_name() for s in top.get_symbols() if s.is_assigned() or s.is_imported()}, needed


def stored(tree):
    """Names at a cell's own level that are assigned to, also by item or attribute: not those of functions."""
    names = set()
    todo = list(tree.body)
    while todo:
        node = todo.pop()
        if isinstance(node, (ast.FunctionDef, ast.ClassDef, ast.Lambda)):
            continue
        if isinstance(getattr(node, "ctx", None), ast.Store):
            while isinstance(node, (ast.Subscript, ast.Attribute)):
                node = node.value
            names.update([node.id] if isinstance(node, ast.Name) else [])
        todo.extend(ast.iter_child_nodes(node))
    return names
