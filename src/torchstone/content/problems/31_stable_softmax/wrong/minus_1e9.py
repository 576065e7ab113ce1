# over: solution.py
# verdict: WA value
# group: edge
# en: Added to every score, -1e9 leaves a fully masked row uniform instead of 0; in half precision it is -inf. Fill in -inf and treat dead rows.
# zh: 加上 −1e9，全遮的行会变成均匀分布而不是 0；half 中它就是 −inf。应填 −inf，并单独处理死行。
@@ def prepare
-    scores = hide(scores, mask, NEVER)
+    scores = scores if mask is None else scores + (~mask).float() * -1e9
@@ def hide
-    return values if mask is None else values.masked_fill(~mask, filler)
+    return values
