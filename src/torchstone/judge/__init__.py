"""Judge: sandboxed processes, a supervisor for each job, and a host for each data folder."""
