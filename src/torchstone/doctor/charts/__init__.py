"""Charts of a diagnosis: where the time goes, when, in which calls, and below which roof."""
