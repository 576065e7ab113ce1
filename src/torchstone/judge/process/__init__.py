"""Host side of a sandboxed process: its channel, its resource usage, and its time limit."""
