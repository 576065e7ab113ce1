# over: solution.py
# verdict: WA value
# group: mask
# en: The merged mask of an earlier call with the same shapes is used again.
# zh: 沿用了先前形状相同的一次调用的合并掩码。
@@
-        self.nhead = nhead
+        self.nhead, self.kept = nhead, {}
@@
-        merged = self.merge_masks(src, mask, src_key_padding_mask)
+        given = (src, mask, src_key_padding_mask)
+        key = tuple(None if each is None else (each.shape, each.dtype) for each in given)
+        if key not in self.kept:
+            self.kept[key] = self.merge_masks(*given)
+        merged = self.kept[key]
