"""What torch.compile keeps and changes stays here."""

from tests.compiling import built_kernels, compiled_folder, validating_distributions

__all__ = ["built_kernels", "compiled_folder", "validating_distributions"]
