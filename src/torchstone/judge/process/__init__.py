"""A sandboxed process as the host sees it: its channel, what it uses, and its time limit."""
