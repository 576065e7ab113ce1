# over: solution.py
# verdict: WA value | RTE
# group: small
# en: A mask of fewer dimensions is aligned at the right, as in every broadcast; new dimensions belong in front.
# zh: 维数较少的掩码按右对齐，与一切广播相同；新维度应加在前面。
@@ def hide
-    return values if mask is None else values.masked_fill(~mask, filler)
+    if mask is None:
+        return values
+    mask = mask.reshape(*mask.shape, *(1 for _ in range(values.dim() - mask.dim())))
+    return values.masked_fill(~mask, filler)
