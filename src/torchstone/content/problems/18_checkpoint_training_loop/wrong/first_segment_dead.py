# over: solution.py
# verdict: RTE | WA value | WA grad
# group: sample
# en: No input of the first segment requires a gradient, so autograd records no node for it and
#   its parameters stay as they are.
# zh: 第一段的输入都不需要梯度，autograd 便不为它记录节点，段内的参数得不到梯度。
@@
-    # Without an input that requires grad autograd would record no node.
-    trigger = torch.empty(0, requires_grad=True)
+    trigger = None
