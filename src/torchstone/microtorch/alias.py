"""Import hook: scripts that write ``import torch`` import this package.

``sys.modules["torch"] = torchstone.microtorch`` is enough for ``import torch``. For ``import
torch.nn`` Python imports a module of that name; the hook makes it ``torchstone.microtorch.nn``
itself and not a second copy.
"""

from __future__ import annotations

import importlib
import importlib.util
import sys
from collections.abc import Sequence
from importlib.abc import Loader, MetaPathFinder
from importlib.machinery import ModuleSpec
from types import ModuleType
from typing import Any

from torchstone.microtorch.nn.modules import FILES

PACKAGE, ALIAS = "torchstone.microtorch", "torch"
# PyTorch module names whose contents are in another module here.
ELSEWHERE = {
    **{f"nn.modules.{name}": "nn.modules" for name in FILES},
    "utils.data._utils": "utils.data",
    "utils.data._utils.collate": "utils.data.collate",
    "utils.hooks": "autograd.node",
}


class Alias(MetaPathFinder, Loader):
    """Meta-path finder and loader that maps ``torch.x`` to ``torchstone.microtorch.x``."""

    def find_spec(
        self, fullname: str, path: Sequence[str] | None, target: ModuleType | None = None
    ) -> ModuleSpec | None:
        """Return a spec for a name that begins with ``torch.``, if ``torch`` is this package."""
        if not fullname.startswith(f"{ALIAS}."):
            return None
        ours = sys.modules.get(PACKAGE)
        if ours is None or sys.modules.get(ALIAS) is not ours:
            return None
        name = fullname.removeprefix(f"{ALIAS}.")
        own = f"{PACKAGE}.{ELSEWHERE.get(name, name)}"
        if importlib.util.find_spec(own) is None:
            return None
        return ModuleSpec(fullname, self, origin=own)

    def create_module(self, spec: ModuleSpec) -> Any:
        """Return the existing module of this package."""
        assert spec.origin is not None, "the finder has named it"
        module = importlib.import_module(spec.origin)
        # Python next sets the requested name and spec on the module; ``exec_module`` undoes that.
        module.__dict__["__torchstone_spec__"] = module.__spec__
        return module

    def exec_module(self, module: ModuleType) -> None:
        """Restore the module's own name and spec."""
        spec = module.__dict__.pop("__torchstone_spec__")
        module.__spec__, module.__name__ = spec, spec.name
        module.__loader__, module.__package__ = spec.loader, spec.parent


def install() -> None:
    """Put the finder first in ``sys.meta_path``, once."""
    if not any(isinstance(each, Alias) for each in sys.meta_path):
        sys.meta_path.insert(0, Alias())
