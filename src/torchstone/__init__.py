"""Torchstone: learn, write and prove PyTorch on one machine."""

__version__ = "0.1.0"
