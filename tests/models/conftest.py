"""What torch.compile keeps and changes stays here."""

from tests.compiling import compiled_folder, validating_distributions

__all__ = ["compiled_folder", "validating_distributions"]
