# over: solution.py
# verdict: WA property
# group: sample
# en: A buffer kept for the next call belongs to two results; the second call overwrites the first answer.
# zh: 留给下一次调用的缓冲区同时属于两个结果；第二次调用会改写第一次的答案。
@@
+buffers = {}
+
+
 def stable_softmax(
@@
-    return hide(y, mask, 0.0).to(x.dtype)
+    y = hide(y, mask, 0.0).to(x.dtype)
+    if y.requires_grad:
+        return y
+    return buffers.setdefault((y.shape, y.dtype), torch.empty_like(y)).copy_(y)
