"""Roofline: what an operator has to compute and to move, and how long the card needs for it."""
