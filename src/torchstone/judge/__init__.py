"""The judge: sandboxed job processes, a supervisor, and one host for each data folder."""
