"""Checkpoints that any number of ranks writes, and any other number reads."""

from torchstone.distributed.checkpoint.load import load
from torchstone.distributed.checkpoint.reshard import Summary, inspect, reshard
from torchstone.distributed.checkpoint.save import save

__all__ = ["Summary", "inspect", "load", "reshard", "save"]
