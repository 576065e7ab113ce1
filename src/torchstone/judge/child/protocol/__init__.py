"""What travels between the host and the sandboxes: wire format, frames and records."""
