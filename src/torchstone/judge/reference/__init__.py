"""Reference side of a job.

It has torch and the problem's cases and oracle. Of the submission it receives only bytes.
"""
