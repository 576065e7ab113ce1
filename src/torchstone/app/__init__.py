"""Use cases of the command line and the page, without any output of their own."""
