"""The use cases: all that the command line and the page may do, without a word of output."""
