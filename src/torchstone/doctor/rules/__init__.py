"""Rules, one per module: ``find(case)`` returns a finding, and the docstring documents it."""
