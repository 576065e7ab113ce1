"""C++ extension that bans operators, and its build."""
