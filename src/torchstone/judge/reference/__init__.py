"""Reference side of a job.

Torch, the problem's cases and oracle, and of the submission only bytes.
"""
