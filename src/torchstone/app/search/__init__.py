"""Search over problems, questions, terms and chapters."""
