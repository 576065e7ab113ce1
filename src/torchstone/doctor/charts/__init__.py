"""Charts of a diagnosis: time accounting, timeline, flame graph and roofline."""
