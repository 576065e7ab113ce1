"""Command line interface over ``torchstone.app``."""
