# over: solution.py
# verdict: WA value
# group: mask
# en: Row b · nhead + h of a 3-D mask belongs to sample b and head h; here the order is the other
#   one.
# zh: 三维掩码的第 b·nhead+h 行属于样本 b 的第 h 个头；这里把次序弄反了。
@@
-                merged = merged.view(src.shape[0], self.nhead, *mask.shape[1:])
+                shape = self.nhead, src.shape[0], *mask.shape[1:]
+                merged = merged.reshape(shape).transpose(0, 1)
