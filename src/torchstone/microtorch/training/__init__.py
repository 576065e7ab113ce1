"""What a network is trained on, and how: the program behind ``torchstone microtorch train``."""
