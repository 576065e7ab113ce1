"""Run a program twice, in new processes: first without the profiler, then with it."""
