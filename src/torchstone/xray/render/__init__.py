"""Drawings of scenes as text and as SVG, from their JSON alone."""
