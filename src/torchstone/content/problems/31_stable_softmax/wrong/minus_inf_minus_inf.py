# over: solution.py
# verdict: WA value
# group: edge
# en: -inf - (-inf) is NaN; replace the maximum of a dead row by 0 before subtracting.
# zh: −inf − (−inf) 是 NaN；相减之前，先把全 −inf 行的最大值换成 0。
@@
-    shift = top.masked_fill(top.isinf(), 0.0)
+    shift = top.masked_fill(top == torch.inf, 0.0)
@@ def shift_down
-    return scores - top.masked_fill(top == NEVER, 0.0)
+    return scores - top
