# over: solution.py
# verdict: WA value
# group: edge
# en: A row of zeros is 0 / 0: it means the uniform distribution.
# zh: 全零行是 0/0：应取均匀分布。
@@
-    mass = torch.where(mass.sum(-1, keepdim=True) > 0, mass, 1)
