"""Mutants of right programs: which there are, and what each statement of the program gave."""
