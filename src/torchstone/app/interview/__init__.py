"""Interviews: plan, hold, resume, report and verify, with the judge and the marker."""
