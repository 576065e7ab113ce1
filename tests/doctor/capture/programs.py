"""Small programs that the doctor runs in its tests."""

from __future__ import annotations

from pathlib import Path

# What most of them begin with.
MODEL = """
import torch
model = torch.nn.Sequential(torch.nn.Linear(64, 64), torch.nn.ReLU(), torch.nn.Linear(64, 1))
optimizer = torch.optim.SGD(model.parameters(), lr=0.01)

def learn():
    optimizer.zero_grad()
    model(torch.randn(32, 64)).sum().backward()
    optimizer.step()
"""
TRAINING = f"{MODEL}\nwhile True:\n    learn()\n"
FEW_STEPS = f"{MODEL}\nfor _ in range(5):\n    learn()\n"
ONE_STEP = f"{MODEL}\nlearn()\n"


def written(folder: Path, source: str, name: str = "train.py") -> str:
    """Write a program to a file and return its path."""
    path = folder / name
    path.write_text(source)
    return str(path)
