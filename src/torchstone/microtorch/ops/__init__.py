"""Tensor operations, one module for each family.

The families in ``seldom.py`` are imported at the first access to one of their names.
"""

from torchstone.microtorch.ops import activations as activations
from torchstone.microtorch.ops import activations_smooth as activations_smooth
from torchstone.microtorch.ops import arithmetic as arithmetic
from torchstone.microtorch.ops import attention as attention
from torchstone.microtorch.ops import comparison as comparison
from torchstone.microtorch.ops import complex as complex
from torchstone.microtorch.ops import contraction as contraction
from torchstone.microtorch.ops import conversion as conversion
from torchstone.microtorch.ops import convolution as convolution
from torchstone.microtorch.ops import creation as creation
from torchstone.microtorch.ops import cross_entropy as cross_entropy
from torchstone.microtorch.ops import cumulative as cumulative
from torchstone.microtorch.ops import dlpack as dlpack
from torchstone.microtorch.ops import dropout as dropout
from torchstone.microtorch.ops import embedding as embedding
from torchstone.microtorch.ops import extremes as extremes
from torchstone.microtorch.ops import indexing as indexing
from torchstone.microtorch.ops import interpolation as interpolation
from torchstone.microtorch.ops import joining as joining
from torchstone.microtorch.ops import linear as linear
from torchstone.microtorch.ops import losses as losses
from torchstone.microtorch.ops import matmul as matmul
from torchstone.microtorch.ops import normalization as normalization
from torchstone.microtorch.ops import normalization_running as normalization_running
from torchstone.microtorch.ops import norms as norms
from torchstone.microtorch.ops import padding as padding
from torchstone.microtorch.ops import patches as patches
from torchstone.microtorch.ops import picking as picking
from torchstone.microtorch.ops import pointwise as pointwise
from torchstone.microtorch.ops import pooling_avg as pooling_avg
from torchstone.microtorch.ops import pooling_max as pooling_max
from torchstone.microtorch.ops import power as power
from torchstone.microtorch.ops import random as random
from torchstone.microtorch.ops import ranges as ranges
from torchstone.microtorch.ops import rearranging as rearranging
from torchstone.microtorch.ops import reductions as reductions
from torchstone.microtorch.ops import scattering as scattering
from torchstone.microtorch.ops import seeds as seeds
from torchstone.microtorch.ops import shape as shape
from torchstone.microtorch.ops import slices as slices
from torchstone.microtorch.ops import softmax as softmax
from torchstone.microtorch.ops import sorting as sorting
from torchstone.microtorch.ops import splitting as splitting
from torchstone.microtorch.ops import statistics as statistics
from torchstone.microtorch.ops import ternary as ternary
from torchstone.microtorch.ops import views as views
