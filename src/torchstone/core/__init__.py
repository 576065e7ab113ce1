"""What every other part stands on: verdicts, errors, words, paths, settings."""
