"""Lazily imported families of operations."""

from torchstone.microtorch import printing as printing
from torchstone.microtorch.ops import ctc as ctc
from torchstone.microtorch.ops import decompositions as decompositions
from torchstone.microtorch.ops import differences as differences
from torchstone.microtorch.ops import grids as grids
from torchstone.microtorch.ops import histograms as histograms
from torchstone.microtorch.ops import least_squares as least_squares
from torchstone.microtorch.ops import linear_algebra as linear_algebra
from torchstone.microtorch.ops import losses_margin as losses_margin
from torchstone.microtorch.ops import lu as lu
from torchstone.microtorch.ops import matrix_norms as matrix_norms
from torchstone.microtorch.ops import occurrence as occurrence
from torchstone.microtorch.ops import special as special
from torchstone.microtorch.ops import triangular as triangular
