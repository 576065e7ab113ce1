"""Observation of one call by the driver: values, gradients, aliases, state and faults."""
