"""Interviews: plan, session, clock, scoring and report as pure functions of events."""
