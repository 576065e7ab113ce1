# over: solution.py
# verdict: WA property
# group: memory
# en: The gradient of a sum needs only sizes; a saved tensor keeps its memory alive.
# zh: 加法的梯度只需要尺寸；保存张量会让它的内存一直占用。
@@
     ctx.rows = b.shape
+    ctx.save_for_backward(*inputs[:2])
