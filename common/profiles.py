"""The files of TensorFlow's and JAX's profilers, read: both write an XSpace of planes, lines and events.

A plane is a device or the host, a line one of its threads. TensorBoard shows such files; lessons want names and times.
"""

import re
from pathlib import Path

OPERATION = re.compile(r"[\w./-]+: ?_?[A-Z]\w*")  # of TensorFlow's graphs and of its eager calls
FUNCTION = re.compile(r"__\w+:__\w+")  # of a graph, which its operations make up, or compiled by XLA, which has none
THREADED = "dot", "conv_", "convolution"  # instructions that XLA hands to its threads on a CPU


def tensorflow(folder):
    """[(name, seconds)] of each operation that TensorFlow ran while it profiled into ``folder``.

    The name is "node:operation" in a graph, which tells the layer, and "EagerLocalExecute: operation" outside. Other
    events enclose these, so they are left out. A function that XLA compiled is one operation. Of a GPU these are the
    times in which the host queued an operation.
    """
    from tensorflow.tsl.profiler.protobuf.xplane_pb2 import XSpace

    found, functions = [], []
    for plane in XSpace.FromString(_file(folder).read_bytes()).planes:
        for event in [event for line in plane.lines for event in line.events]:
            name = plane.event_metadata[event.metadata_id].name
            for pattern, those in ((OPERATION, found), (FUNCTION, functions)):
                if pattern.fullmatch(name):
                    those.append((name, event.duration_ps / 1e12))
    return found or functions


def jax(folder, program=""):
    """[(name, seconds)] of each of XLA's instructions that JAX ran while it profiled into ``folder``.

    The name is "instruction scopes/operation": the operation of JAX that XLA made the instruction from, the last one of
    a fusion. It stands in ``program``, the text of the compiled step; of other programs, or without this text, the name
    is "program instruction". On a CPU the event of a large product ends when XLA has handed it to its threads. What is
    left of its time has no event, so a gap counts for the last product before it.
    """
    from jax.profiler import ProfileData

    own = program and re.match(r"HloModule ([\w.-]+)", program)[1]
    names = dict(re.findall(r'%([\w.-]+) = .*op_name="([^"]*)"', program))
    events = []
    for plane in ProfileData.from_file(str(_file(folder))).planes:
        for event in [event for line in plane.lines for event in line.events]:
            said = dict(event.stats)
            if {"hlo_op", "hlo_module"} <= set(said):
                module, instruction = said["hlo_module"], said["hlo_op"]
                name = (instruction, names.get(instruction, "")) if module == own else (module, instruction)
                threaded = instruction.startswith(THREADED)
                stop = event.start_ns + event.duration_ns
                events.append((event.start_ns, stop, said.get("run_id"), " ".join(name), threaded))
    found, end, last, waited = [], 0, None, None
    for start, stop, run, name, threaded in sorted(events):
        if run == last and waited is not None and start > end:
            found[waited][1] += (start - end) / 1e9
        elif run != last:
            waited, end = None, 0
        found.append([name, (stop - start) / 1e9])
        waited = len(found) - 1 if threaded else waited
        end, last = max(end, stop), run
    return [(name, seconds) for name, seconds in found]


def _file(folder):
    (path,) = Path(folder).rglob("*.xplane.pb")
    return path
