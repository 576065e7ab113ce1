"""Readers: a trace of the PyTorch profiler or an export of Nsight Systems, as columns of events."""
