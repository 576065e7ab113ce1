"""Use cases of the command line and the page, without output of their own."""
