"""Worker processes: zygotes, submissions, references, and the supervisor of a job."""
