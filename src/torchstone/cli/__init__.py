"""The command line: one skin of ``torchstone.app``."""
