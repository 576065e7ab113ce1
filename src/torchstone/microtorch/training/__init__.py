"""Training of image classifiers, for ``torchstone microtorch train``."""
