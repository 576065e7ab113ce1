# over: good/running_softmin.py
# verdict: WA property
# group: perf
# en: Keeps the distances of every chunk in a list, where no hook of autograd sees them.
# zh: 把每块的距离存进列表，让 autograd 的钩子看不到。
@@
         ctx.chunk = chunk
+        ctx.tape = [squares(q, points) for q in rows]
@@
-            d = squares(q, points)
+            d = ctx.tape[start // ctx.chunk]
