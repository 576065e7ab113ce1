"""Prove a problem: right answers, wrong answers, cheats and mutants."""
