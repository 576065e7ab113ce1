# over: good/cell_each_step.py
# verdict: INPUT_MUTATED
# group: small
# en: Hand the last state back as h_n; an h0 without gradient is no buffer to write it into.
# zh: 最后的状态由 h_n 返回；不需要梯度的 h0 也不是用来写回状态的缓冲区。
@@ def forward
         steps, rows, _ = x.shape
+        given = h0
@@ def forward
-        h = h0[0]
+        h = h0[0].clone()
@@ def forward
         h_n = h[None]
+        if given is not None and not given.requires_grad:
+            given.copy_(h_n.detach())
