"""Runs the notebooks: environments, batch (which runs, in what order), job (one run); hosts, languages."""
