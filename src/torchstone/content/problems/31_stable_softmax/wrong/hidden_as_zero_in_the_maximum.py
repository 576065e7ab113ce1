# over: solution.py
# verdict: WA value
# group: edge
# en: A hidden entry that counts as 0 may be the maximum: scores far below it underflow. Hide with -inf first.
# zh: 被遮的元素若按 0 计，就可能成为最大值，远低于 0 的分数会全部下溢；应先用 −inf 遮盖再取最大值。
@@ def prepare
-    return scores, scores.detach().amax(dim, keepdim=True)
+    own = scores.detach().amax(dim, keepdim=True)
+    top = hide(x.detach().to(scores.dtype), mask, 0.0).amax(dim, keepdim=True)
+    return scores, torch.where(own == NEVER, own, top)
