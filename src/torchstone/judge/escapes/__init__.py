"""Search for escapes from the bans of a problem: what starts it, and what explains its findings."""
