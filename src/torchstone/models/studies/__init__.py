"""Reproducible experiments on small models: the cost of design choices."""
