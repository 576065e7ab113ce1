"""Schema of lines of the library, with their text as sanitized HTML."""

from torchstone.bank.questions.library import LibraryLines
from torchstone.web import prose
from torchstone.web import schemas as shape


def lines_model(lines: LibraryLines) -> shape.LibraryLines:
    """Create the schema of lines of the library."""
    return shape.LibraryLines(
        name=lines.name, file=lines.file, line=lines.line, html=prose.render_code(lines.source)
    )
