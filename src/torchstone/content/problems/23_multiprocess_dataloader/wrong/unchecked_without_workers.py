# over: solution.py
# verdict: WA property
# group: errors
# en: A bad prefetch_factor is refused also where there are no workers yet to use it.
# zh: 没有 worker 用得上时，不合法的 prefetch_factor 同样要拒绝。
@@
-        if batch_size < 1 or prefetch_factor < 1:
+        if batch_size < 1 or (num_workers > 0 and prefetch_factor < 1):
