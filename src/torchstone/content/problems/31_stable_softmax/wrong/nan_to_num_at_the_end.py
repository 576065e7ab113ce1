# over: solution.py
# verdict: WA grad
# group: grad
# en: Repairing NaN in the result leaves the backward as it was: 0 times NaN. Make the input safe first.
# zh: 在结果上修补 NaN，反向仍是 0 × NaN；应先把输入变安全。
@@
-    shift = top.masked_fill(top.isinf(), 0.0)
+    shift = top.masked_fill(top == torch.inf, 0.0)
     total = (scores - shift).exp().sum(dim, keepdim=True)
     # Added after the logarithm, so a dead row is -inf + log 1.
-    result = total.masked_fill(total == 0, 1.0).log() + top
+    result = torch.where(top == NEVER, NEVER, total.log() + top)
@@
-    weights = shift_down(x, dim, mask).exp()
+    scores, top = prepare(x, dim, mask)
+    weights = (scores - top).exp()
     total = weights.sum(dim, keepdim=True)
-    y = weights / total.masked_fill(total == 0, 1.0)
+    y = torch.where(top == NEVER, 0.0, weights / total)
@@
-    shifted = shift_down(x, dim, mask)
+    scores, top = prepare(x, dim, mask)
+    shifted = scores - top
     total = shifted.exp().sum(dim, keepdim=True)
-    y = shifted - total.masked_fill(total == 0, 1.0).log()
+    y = torch.where(top == NEVER, NEVER, shifted - total.log())
