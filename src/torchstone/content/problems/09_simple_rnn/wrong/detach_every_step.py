# over: good/cell_each_step.py
# verdict: WA grad
# group: sample
# en: Detached in every step, nothing is learnt about the past; detach only at chunk boundaries.
# zh: 每步 `detach` 就学不到过去的信息；只应在分段边界处 `detach`。
@@ def forward
-            if truncate is not None and t > 0 and t % truncate == 0:
-                h = h.detach()
+            h = h.detach()
