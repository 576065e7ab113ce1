"""Train a model of language, and sample from it: the program behind ``torchstone transformer``."""
