"""Training and sampling of a language model, for ``torchstone transformer``."""
