"""Search for escapes: call everything that a submission can reach, in jobs confined as its own."""
