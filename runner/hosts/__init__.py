"""This machine, and others beside it.

machine   what machine this is, and how fast it multiplies
alone     locks: who may work on it, and in a folder of results
shards    parts of a batch for several hosts
slurm     a job array of all parts
"""
