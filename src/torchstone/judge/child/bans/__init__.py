"""Bans of a job: the functions, operators and modules that a submission may not use."""
