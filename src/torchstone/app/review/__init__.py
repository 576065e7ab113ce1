"""Proven problems, due reviews, and the next problem."""
