"""Mutants of correct programs, and the results of each statement of such a program."""
