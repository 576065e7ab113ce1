"""Run a program twice, each time in a new process: first unwatched, then under the profiler."""
