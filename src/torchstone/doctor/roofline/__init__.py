"""Roofline model: the work of operators, and the minimum time that the device needs for it."""
