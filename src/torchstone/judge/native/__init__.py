"""The C++ extension that bans operators, and what compiles it."""
