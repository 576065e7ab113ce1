# over: solution.py
# verdict: WA grad
# group: sample
# en: The inverse CDF is a choice of nodes, not part of the model: no gradient flows through it.
# zh: 逆 CDF 只是选择节点，不是模型的一部分：采样位置不参与求导。
@@
-@torch.no_grad()
 def importance_samples(edges: Tensor, weights: Tensor, u: Tensor, eps: float = 1e-5) -> Tensor:
