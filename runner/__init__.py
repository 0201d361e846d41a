"""Runs the notebooks: declarations (what there is), inputs, environments, batch, job (one run), machine."""
