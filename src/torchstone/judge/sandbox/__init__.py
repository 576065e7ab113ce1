"""Host side of the sandbox: isolation levels, commands, seccomp filters and cgroups."""
