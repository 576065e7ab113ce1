"""Confinement of a process by the kernel: namespaces, Landlock, seccomp, limits."""
