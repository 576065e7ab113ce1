# over: solution.py
# verdict: WA grad
# group: grad
# en: A deep copy has its own parameters: their gradients never reach the master.
# zh: 深拷贝有自己的参数，梯度到不了主模块。
@@
+import copy
 import threading
@@
-        copies = {p: device.put(p) for p in module.parameters()}
+        own = copy.deepcopy(module).parameters()
+        copies = dict(zip(module.parameters(), map(device.put, own), strict=True))
