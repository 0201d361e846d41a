"""The reference of the small networks' notebooks that are no lessons yet."""

from .reference import Reference


class SmoothReference(Reference):
    """A Reference; these notebooks name their precision, fp32."""

    def __init__(self, workload, precision="fp32", variant="results"):
        Reference.__init__(self, workload, variant)
