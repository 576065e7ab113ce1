"""Modules, family by family."""
