"""ONNX export, under the names of ``torch.onnx``."""

from torchstone.microtorch.onnx.exporter import export as export
from torchstone.microtorch.onnx.graph import ExportError as ExportError
