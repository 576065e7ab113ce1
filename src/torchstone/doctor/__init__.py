"""Diagnosis of training runs: from a trace to bottlenecks, causes, source lines and remedies."""
