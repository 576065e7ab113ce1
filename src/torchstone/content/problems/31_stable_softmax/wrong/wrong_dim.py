# over: solution.py
# verdict: WA value | WA shape
# group: small
# en: Reduce over `dim`, with keepdim=True, so that it broadcasts back.
# zh: 沿 `dim` 归约并用 keepdim=True，才能正确广播回去。
@@
-    total = (scores - shift).exp().sum(dim, keepdim=True)
+    total = (scores - shift).exp().sum(-1, keepdim=True)
@@ stable_softmax
     weights = shift_down(x, dim, mask).exp()
-    total = weights.sum(dim, keepdim=True)
+    total = weights.sum(-1, keepdim=True)
@@
-    total = shifted.exp().sum(dim, keepdim=True)
+    total = shifted.exp().sum(-1, keepdim=True)
