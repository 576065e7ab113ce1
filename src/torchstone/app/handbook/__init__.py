"""The handbook as chapters that are read, and whose cells run."""
