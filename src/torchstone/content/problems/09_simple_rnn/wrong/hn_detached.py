# over: good/cell_each_step.py
# verdict: WA grad
# group: grad
# en: Losses on h_n are common; return it with its graph.
# zh: `h_n` 常被用来算损失，返回时不要 `detach`。
@@ def forward
-        h_n = h[None]
+        h_n = h.detach()[None]
