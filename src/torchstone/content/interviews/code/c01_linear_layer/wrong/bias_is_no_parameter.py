# over: solution.py
# verdict: WA property | RTE
# group: edge
# en: Only an nn.Parameter is found by parameters() and saved; a plain tensor stays unknown to the module.
# zh: 只有 nn.Parameter 会被 `parameters()` 找到并保存；普通张量模块并不知道。
@@
-            self.bias = nn.Parameter(torch.empty(out_features).uniform_(-limit, limit))
+            self.bias = torch.empty(out_features).uniform_(-limit, limit).requires_grad_()
