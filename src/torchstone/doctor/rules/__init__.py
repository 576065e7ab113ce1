"""Rules, one file each: ``find(case)`` returns what it found, and the docstring tells how."""
