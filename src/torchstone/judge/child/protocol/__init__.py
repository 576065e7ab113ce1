"""Protocol between the host and the sandboxes: wire format, frames and records."""
