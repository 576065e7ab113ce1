"""Say what is wrong with a command line, in the one error shape."""

import typer

from torchstone.core.errors import BadInput


def explain_misuse(error: typer.TyperException) -> BadInput:
    """Turn what Typer found wrong with the arguments into an error of ours."""
    return BadInput("cli.misused", reason=str(error))
