# over: solution.py
# verdict: WA property
# group: perf
# en: chunk_size bounds the memory under no_grad as well.
# zh: no_grad 下 chunk_size 同样要限制内存。
@@
-    if chunk_size is None:
+    if chunk_size is None or not torch.is_grad_enabled():
