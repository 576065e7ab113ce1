"""Code that runs inside the sandbox, where it is the top-level package `child`.

The driver is a module of its own because problems name it: it is what their probes and oracles use.
"""
