# over: good/running_softmin.py
# verdict: WA property
# group: perf
# en: Keeps storages, which are no tensors; the peak of the process shows them.
# zh: 只保存存储而不保存张量；进程的内存峰值会暴露它。
@@
         ctx.chunk = chunk
+        ctx.tape = [squares(q, points).untyped_storage() for q in rows]
@@
-            d = squares(q, points)
+            shape = (*q.shape[:-1], points.shape[-2])
+            d = q.new_empty(0).set_(ctx.tape[start // ctx.chunk], 0, shape)
