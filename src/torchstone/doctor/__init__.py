"""The doctor: from a trace of a training to what is slow, why, on which line, and what to do."""
