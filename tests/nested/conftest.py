"""The kernels are built, and what torch.compile keeps is undone."""

from tests.compiling import built_kernels, compiled_folder, validating_distributions

__all__ = ["built_kernels", "compiled_folder", "validating_distributions"]
