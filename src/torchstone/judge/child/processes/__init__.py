"""Processes of one request: a leader that forks them, follows them and counts them."""
