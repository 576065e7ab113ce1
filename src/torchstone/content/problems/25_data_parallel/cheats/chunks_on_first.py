# over: solution.py
# verdict: WA property
# group: value
# en: The shards run one after the other on the first device.
# zh: 各分片在第一台设备上依次运行。
@@
-        parts = scatter((inputs, kwargs), self.devices, self.dim)
-        used = self.devices[: len(parts)]
-        replicas = replicate(self.module, used)
-        inputs, kwargs = zip(*parts, strict=False)
-        outputs = parallel_apply(replicas, inputs, kwargs, used)
+        first = self.devices[0]
+        parts = scatter((inputs, kwargs), [first] * len(self.devices), self.dim)
+        outputs = []
+        for args, named in parts:
+            with first.scope():
+                outputs.append(replicate(self.module, [first])[0](*args, **named))
