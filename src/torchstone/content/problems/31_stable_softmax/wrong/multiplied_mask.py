# over: solution.py
# verdict: WA value
# group: edge
# en: 0 times NaN or inf is NaN: a hidden entry has to be replaced before the exponential, not multiplied away.
# zh: 0 乘 NaN 或 inf 得 NaN：被遮的元素要在取指数之前替换掉，乘零抹不掉。
@@
-    total = (scores - shift).exp().sum(dim, keepdim=True)
+    total = ((scores - shift).exp() * (1 if mask is None else mask)).sum(dim, keepdim=True)
@@
-    weights = shift_down(x, dim, mask).exp()
+    weights = shift_down(x, dim, mask).exp() * (1 if mask is None else mask)
@@
-    total = shifted.exp().sum(dim, keepdim=True)
+    total = (shifted.exp() * (1 if mask is None else mask)).sum(dim, keepdim=True)
@@ def prepare
-    scores = hide(scores, mask, NEVER)
