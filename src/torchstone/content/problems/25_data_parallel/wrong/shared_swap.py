# over: solution.py
# verdict: WA property
# group: value
# en: Threads share the module; give each its own shell.
# zh: 线程共用同一个模块，必须各有一份外壳。
@@
+class Swapped(nn.Module):
+    """Put copies of parameters into the module while it runs on a device."""
+
+    def __init__(self, module, device, *, keep):
+        super().__init__()
+        tables = [(part._parameters, part._parameters.copy()) for part in module.modules()]
+        if not keep:
+            tables += [(part._buffers, part._buffers.copy()) for part in module.modules()]
+        originals = {item for _, table in tables for item in table.values() if item is not None}
+        self.__dict__.update(inner=module, tables=tables)
+        self.copies = {item: device.put(item) for item in originals}
+
+    def forward(self, *args, **kwargs):
+        for table, originals in self.tables:
+            table.update({k: self.copies.get(v) for k, v in originals.items()})
+        try:
+            return self.inner(*args, **kwargs)
+        finally:
+            for table, originals in self.tables:
+                table.update(originals)
+
+
 def replicate(module, devices):
     """Return a shell of the module for each device, with copies of its parameters."""
+    return [Swapped(module, device, keep=not number) for number, device in enumerate(devices)]
