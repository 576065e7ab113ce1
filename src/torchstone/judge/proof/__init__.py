"""Proof of a problem: its right answers, wrong answers, cheats and mutants."""
