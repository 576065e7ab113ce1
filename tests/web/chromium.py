"""The Chromium that tests, tools and benchmarks drive, and how it is started."""

import shutil

# The first is the same engine without the windows of the browser; it uses a third of the CPU time.
NAMES = (
    *("chromium-headless-shell", "chromium", "chromium-browser"),
    *("google-chrome", "google-chrome-stable"),
)
# What keeps it from looking for its makers and for a graphics card. Playwright adds --no-sandbox by
# itself, which root needs.
ARGUMENTS = (
    "--disable-gpu",
    "--disable-quic",
    "--no-first-run",
    "--disable-background-networking",
    "--disable-component-update",
    "--disable-sync",
)


def find_chromium() -> str | None:
    """Find its program."""
    return next(filter(None, map(shutil.which, NAMES)), None)
