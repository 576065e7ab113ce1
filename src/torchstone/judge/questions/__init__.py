"""Proof of the question bank: run the cells of topics, test their claims, and try changes."""
