"""How often and how much memory a piece of work asks for, counted by memray in a run of its own."""

import tempfile
from pathlib import Path


def count(work):
    """(allocations, bytes) that ``work``, a function without arguments, asks the system's C library for.

    Every request counts, whoever makes it and whether it is freed at once or kept. Nothing is asked for
    by what comes out of a store: Python's objects of up to 512 bytes, NumPy's arrays of less than 1 kB.
    (memray can count Python's objects, too, but makes one itself for every call of a function.)
    ``work`` runs twice; the first time fills such stores and is not counted. Counting slows the work
    down: time it apart. Raises ImportError without memray.
    """
    import memray

    kind = memray.AllocatorType
    work()
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "allocations"
        with memray.Tracker(path):
            work()
        with memray.FileReader(path) as reader:
            records = reader.get_allocation_records()
            sizes = [record.size for record in records if record.allocator not in (kind.FREE, kind.MUNMAP)]
    return len(sizes), sum(sizes)
