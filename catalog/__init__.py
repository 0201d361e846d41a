"""What there is: frameworks, environments, workloads, rows; what a row's result depends on, and how it stands."""

import sys

# Where it is installed, jsonschema imports it, to check a format that no schema here has; that takes seconds.
sys.modules.setdefault("rfc3987_syntax", None)
