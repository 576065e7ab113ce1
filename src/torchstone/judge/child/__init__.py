"""Code that runs inside the sandbox, where it is the top-level package `child`."""
