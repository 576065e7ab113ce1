# over: solution.py
# verdict: WA property
# group: tied
# en: One parameter, one copy per device.
# zh: 同一个参数每台设备只拷贝一次。
@@
-        copies = {p: device.put(p) for p in module.parameters()}
+        copies = {}
@@
                 items = getattr(part, table).items()
+                put = device.put if table == "_parameters" else image.get
                 shell.__dict__[table] = {
-                    name: None if item is None else image[item] for name, item in items
+                    name: None if item is None else put(item) for name, item in items
