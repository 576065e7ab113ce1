"""What runs inside the sandbox; there it is the top-level package `child`."""
