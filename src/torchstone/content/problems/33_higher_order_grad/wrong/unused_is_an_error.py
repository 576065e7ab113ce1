# over: solution.py
# verdict: RTE
# group: edge
# en: An input that f does not use has the derivative zero; without allow_unused autograd raises.
# zh: f 没有用到的输入，导数为零；不加 allow_unused，autograd 会报错。
@@
     return torch.autograd.grad(
-        y, xs, retain_graph=True, create_graph=create_graph, materialize_grads=True
+        y, xs, retain_graph=True, create_graph=create_graph
     )
