# over: solution.py
# verdict: WA grad
# group: sample
# en: Each point has its own gradient: sum the values, do not average them.
# zh: 每个点有自己的梯度：对值求和，不要取平均。
@@
-        return torch.autograd.grad(f(x).sum(), x, create_graph=create_graph)[0]
+        return torch.autograd.grad(f(x).mean(), x, create_graph=create_graph)[0]
