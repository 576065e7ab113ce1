"""Zygotes, which import torch once, and the jobs that they fork."""
