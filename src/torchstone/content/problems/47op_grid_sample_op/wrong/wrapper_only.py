# over: solution.py
# verdict: RTE
# group: edge
# en: Whoever calls torch.ops must get a gradient; a Function around the operator is no part of it.
# zh: 直接调用 torch.ops 也必须有梯度；包在外面的 Function 不属于算子。
@@
-# The backward operator has no formula of its own: a second derivative is an error.
-grid_sample.register_autograd(backward, setup_context=remember)
+class GridSample(torch.autograd.Function):
+    forward = staticmethod(lambda *args: torch.ops.ts47.grid_sample(*args))
+    setup_context = staticmethod(remember)
+    backward = staticmethod(backward)
