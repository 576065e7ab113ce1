# over: solution.py
# verdict: RTE
# group: edge
# en: Whoever calls torch.ops must get a gradient; a Function around the operator is no part of it.
# zh: 直接调用 torch.ops 也必须有梯度；包在外面的 Function 不属于算子。
@@
-relu.register_autograd(backward, setup_context=save_output)
+class ReLU(torch.autograd.Function):
+    forward = staticmethod(lambda x: torch.ops.ts43.relu(x))
+    setup_context = staticmethod(save_output)
+    backward = staticmethod(backward)
