"""Search for escapes from a problem's bans: how it is started, and how findings are explained."""
