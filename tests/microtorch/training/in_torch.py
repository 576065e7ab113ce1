"""The networks of the program and a plain script that trains one, in PyTorch."""

from pathlib import Path
from typing import Any

import torch

from torchstone.microtorch.training import models
from torchstone.microtorch.training.images import Images


def torch_models() -> dict[str, Any]:
    """Read the very source of our networks with PyTorch's names behind it."""
    source = Path(models.__file__).read_text(encoding="utf-8")
    ours = {
        "from torchstone.microtorch import nn": "from torch import nn",
        "from torchstone.microtorch.tensor import Tensor": "from torch import Tensor",
    }
    for line, theirs in ours.items():
        assert line in source
        source = source.replace(line, theirs)
    scope: dict[str, Any] = {"__name__": "models_of_torch"}
    exec(compile(source, models.__file__, "exec"), scope)
    return dict(scope["MODELS"])


def of_torch(tensor: Any) -> torch.Tensor:
    return torch.from_numpy(tensor.detach().numpy().copy())


def train_in_torch(
    name: str,
    images: Images,
    *,
    epochs: int,
    batch_size: int = 64,
    lr: float = 1e-3,
    seed: int = 0,
    ulps: int = 0,
) -> list[tuple[float, float]]:
    """Train as anybody would; give loss and accuracy of each epoch.

    Args:
        ulps: By how many units in the last place every weight is moved before the first step.
    """
    torch.manual_seed(seed)
    model = torch_models()[name](images.train_images.shape[-1])
    with torch.no_grad():
        for each in model.parameters():
            for _ in range(ulps):
                each.copy_(torch.nextafter(each, torch.full_like(each, torch.inf)))
    optimizer = torch.optim.Adam(model.parameters(), lr=lr)
    data = torch.utils.data.TensorDataset(
        of_torch(images.train_images), of_torch(images.train_labels)
    )
    loader = torch.utils.data.DataLoader(data, batch_size, shuffle=True)
    x_test, y_test = of_torch(images.test_images), of_torch(images.test_labels)
    history = []
    for _ in range(epochs):
        total = 0.0
        for x, y in loader:
            optimizer.zero_grad()
            loss = torch.nn.functional.cross_entropy(model(x), y)
            loss.backward()
            optimizer.step()
            total += loss.item() * len(x)
        with torch.no_grad():
            right = int((model(x_test).argmax(1) == y_test).sum())
        history.append((total / len(data), right / len(x_test)))
    return history
