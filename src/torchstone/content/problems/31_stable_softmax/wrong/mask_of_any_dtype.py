# over: solution.py
# verdict: WA property
# group: edge
# en: A mask of 0 and 1 or an additive one of 0 and -inf means something else; only bool is accepted.
# zh: 0/1 掩码、0/−inf 的加性掩码各有别的含义；只接受 bool。
@@ def check
-    if mask.dtype != torch.bool:
-        raise TypeError(f"mask is {mask.dtype}; True keeps an entry, so it must be bool")
@@ def hide
-    return values if mask is None else values.masked_fill(~mask, filler)
+    return values if mask is None else values.masked_fill(mask == 0, filler)
