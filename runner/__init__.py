"""Executes the notebooks: matrix (what there is), environments, execute (papermill), machine, tables, figures."""
