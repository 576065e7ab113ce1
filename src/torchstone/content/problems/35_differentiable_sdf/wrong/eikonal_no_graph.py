# over: solution.py
# verdict: WA grad
# group: small
# en: The loss is a function of a gradient: keep its graph.
# zh: 损失含梯度，要建图。
@@
-        return (norm(gradient(f, p)) - 1).square().mean()
+        return (norm(gradient(f, p, create_graph=False)) - 1).square().mean()
