"""What there is: frameworks, environments, workloads, rows; what a row's result depends on, and how it stands."""
