"""The host's side of the sandbox: what this machine can do, the command, the filters, cgroups."""
