"""Collectives on two backends, of which each has the same order, ledger and errors."""
