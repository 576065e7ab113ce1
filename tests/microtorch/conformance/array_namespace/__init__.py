"""The array API standard's names, 2024.12, for MicroTorch: a thin layer over PyTorch's names.

Where the two differ in a name, an argument (``axis`` is ``dim``) or a default, it is settled here;
what PyTorch lacks is put together from what it has. What a function of PyTorch computes is never
changed, save that arrays of no dimensions count for the type of a result like all others, which in
PyTorch they do not. Tensors are MicroTorch's own: their operators, methods and indexing are
PyTorch's, whatever the standard says.

It can be imported, and the suite of the standard's authors takes its name::

    ARRAY_API_TESTS_MODULE=tests.microtorch.conformance.array_namespace pytest array_api_tests
"""

from typing import TYPE_CHECKING, Any

from tests.microtorch.conformance.array_namespace import fft as fft
from tests.microtorch.conformance.array_namespace import linalg as linalg
from tests.microtorch.conformance.array_namespace.creation import *  # noqa: F403
from tests.microtorch.conformance.array_namespace.dtypes import *  # noqa: F403
from tests.microtorch.conformance.array_namespace.elementwise import *  # noqa: F403
from tests.microtorch.conformance.array_namespace.info import *  # noqa: F403
from tests.microtorch.conformance.array_namespace.linalg import matmul as matmul
from tests.microtorch.conformance.array_namespace.linalg import matrix_transpose as matrix_transpose
from tests.microtorch.conformance.array_namespace.linalg import tensordot as tensordot
from tests.microtorch.conformance.array_namespace.linalg import vecdot as vecdot
from tests.microtorch.conformance.array_namespace.manipulation import *  # noqa: F403
from tests.microtorch.conformance.array_namespace.searching import *  # noqa: F403
from tests.microtorch.conformance.array_namespace.statistics import *  # noqa: F403

if TYPE_CHECKING:
    # The modules make many names in loops, where mypy does not see them.
    def __getattr__(name: str) -> Any: ...
