"""Collectives on two backends, which share the order of operations, the ledger and the errors."""
