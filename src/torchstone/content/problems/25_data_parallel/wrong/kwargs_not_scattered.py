# over: solution.py
# verdict: WA property
# group: structure
# en: Keyword tensors are part of the batch.
# zh: 关键字参数里的张量也属于批次。
@@
-        parts = scatter((inputs, kwargs), self.devices, self.dim)
+        parts = scatter(inputs, self.devices, self.dim)
@@
-        inputs, kwargs = zip(*parts, strict=False)
-        outputs = parallel_apply(replicas, inputs, kwargs, used)
+        outputs = parallel_apply(replicas, parts, [kwargs] * len(parts), used)
