# verdict: WA value | WA property
# en: Does not train: it saves the first weights and invents losses.
# zh: 不训练：保存初始权重，并编造损失。
import argparse
import json
import os

import torch
from torch import nn

parser = argparse.ArgumentParser()
parser.add_argument("--data", required=True)
parser.add_argument("--out", required=True)
parser.add_argument("--epochs", type=int, default=3)
parser.add_argument("--hidden", type=int, default=16)
parser.add_argument("--seed", type=int, default=0)
args, _ = parser.parse_known_args()
data = torch.load(args.data)
torch.manual_seed(args.seed)
width, classes = data["x"].shape[1], int(data["y"].max()) + 1
layers = nn.Linear(width, args.hidden), nn.Tanh(), nn.Linear(args.hidden, classes)
if os.environ.get("RANK", "0") == "0":
    os.makedirs(args.out, exist_ok=True)
    torch.save(nn.Sequential(*layers).double().state_dict(), f"{args.out}/model.pt")
    with open(f"{args.out}/metrics.jsonl", "w") as file:
        for epoch in range(args.epochs):
            print(json.dumps({"epoch": epoch, "loss": 1.2 / (epoch + 1)}), file=file)
