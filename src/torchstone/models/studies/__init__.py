"""Experiments on small models: what a choice costs, measured anew by whoever asks."""
