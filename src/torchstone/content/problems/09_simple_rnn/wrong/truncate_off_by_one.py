# over: good/cell_each_step.py
# verdict: WA grad
# group: tbptt
# en: The boundary lies before steps k, 2k, ...; a chunk has k steps, not k - 1.
# zh: 边界在第 k、2k…… 步之前；一段有 k 步，而不是 k − 1 步。
@@ def forward
-            if truncate is not None and t > 0 and t % truncate == 0:
+            if truncate is not None and t > 0 and (t + 1) % truncate == 0:
