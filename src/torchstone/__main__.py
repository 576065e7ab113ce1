"""Run the command line as ``python -m torchstone``."""

from torchstone.cli.main import main

if __name__ == "__main__":
    raise SystemExit(main())
