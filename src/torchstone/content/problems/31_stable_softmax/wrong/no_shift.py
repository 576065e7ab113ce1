# over: solution.py
# verdict: WA value
# group: scale
# en: exp overflows at 88 in float32; subtract the maximum of the row first.
# zh: float32 中 exp 在 88 就溢出；先减去该行的最大值。
@@
-    shift = top.masked_fill(top.isinf(), 0.0)
+    shift = torch.zeros_like(top)
@@
-    result = total.masked_fill(total == 0, 1.0).log() + top
+    result = total.log()
@@ def shift_down
-    return scores - top.masked_fill(top == NEVER, 0.0)
+    return scores - torch.zeros_like(top)
