"""Interviews: planned, held, resumed, reported and verified; composed with judge and marker."""
