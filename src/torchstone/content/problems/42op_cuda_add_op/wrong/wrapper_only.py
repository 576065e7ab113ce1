# over: solution.py
# verdict: RTE
# group: edge
# en: Whoever calls torch.ops must get a gradient; a Function around the operator is not part of it.
# zh: 直接调用 torch.ops 也必须有梯度；包在外面的 Function 不属于算子。
@@
-add.register_autograd(backward, setup_context=remember)
+class Add(torch.autograd.Function):
+    forward = staticmethod(lambda a, b, alpha: torch.ops.ts42.add(a, b, alpha))
+    setup_context = staticmethod(remember)
+    backward = staticmethod(backward)
