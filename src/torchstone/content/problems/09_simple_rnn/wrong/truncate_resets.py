# over: good/cell_each_step.py
# verdict: WA value
# group: tbptt
# en: Truncation cuts the gradient, never the state.
# zh: 截断的是梯度，不是状态。
@@ def forward
-                h = h.detach()
+                h = torch.zeros_like(h)
