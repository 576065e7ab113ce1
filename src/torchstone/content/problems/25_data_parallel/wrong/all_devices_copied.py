# over: solution.py
# verdict: WA property
# group: value
# en: A device that gets no shard needs no parameters.
# zh: 没有分到数据的设备不需要参数。
@@
-        replicas = replicate(self.module, used)
+        replicas = replicate(self.module, self.devices)[: len(parts)]
