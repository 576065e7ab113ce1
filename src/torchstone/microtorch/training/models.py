"""Models of the training program: an MLP, a CNN and a small Transformer."""

from __future__ import annotations

from torchstone.microtorch import nn
from torchstone.microtorch.tensor import Tensor
from torchstone.microtorch.training.images import NUM_CLASSES


def mlp(size: int) -> nn.Module:
    """Create a multilayer perceptron with two hidden layers."""
    return nn.Sequential(
        nn.Flatten(),
        nn.Linear(size * size, 256),
        nn.ReLU(),
        nn.Linear(256, 128),
        nn.ReLU(),
        nn.Linear(128, NUM_CLASSES),
    )


def cnn(size: int) -> nn.Module:
    """Create a convolutional network with two convolutions."""
    return nn.Sequential(
        nn.Conv2d(1, 16, 3, padding=1),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Conv2d(16, 32, 3, padding=1),
        nn.ReLU(),
        nn.MaxPool2d(2),
        nn.Flatten(),
        nn.Linear(32 * (size // 4) ** 2, NUM_CLASSES),
    )


class Transformer(nn.Module):
    """Transformer that reads an image as a sequence of rows."""

    def __init__(self, size: int, d_model: int = 64, nhead: int = 4, num_layers: int = 2) -> None:
        super().__init__()
        self.embedding = nn.Linear(size, d_model)
        self.position = nn.Embedding(size, d_model)
        layer = nn.TransformerEncoderLayer(
            d_model, nhead, 4 * d_model, dropout=0.0, batch_first=True, norm_first=True
        )
        self.encoder = nn.TransformerEncoder(layer, num_layers, enable_nested_tensor=False)
        self.head = nn.Linear(d_model, NUM_CLASSES)

    def forward(self, images: Tensor) -> Tensor:
        """Compute the logits.

        Shapes:
            images: (batch, 1, size, size) -> (batch, NUM_CLASSES)
        """
        rows = self.embedding(images.squeeze(1)) + self.position.weight
        return self.head(self.encoder(rows).mean(1))


MODELS = {"mlp": mlp, "cnn": cnn, "transformer": Transformer}
