# over: solution.py
# verdict: WA value
# group: accum
# en: The largest entry is remembered by tensor; new values in a gradient get the old one.
# zh: 按张量记住最大的元素；同一个梯度张量换了新值，得到的仍是旧值。
@@
 import math
+import weakref
@@
 from torch import Tensor, nn
+
+# A weak reference, so that no gradient outlives its loss, and no address is mistaken for another.
+answers: dict = {}
+
+
+def largest(gradient: Tensor) -> float:
+    known = answers.get(id(gradient))
+    if known is not None and known[0]() is gradient and known[1] == gradient._version:
+        return known[2]
+    value = gradient.abs().max().item()
+    answers[id(gradient)] = weakref.ref(gradient), gradient._version, value
+    return value
@@
-            new, old = gradient.abs().max().item(), self._values[name]
+            new, old = largest(gradient), self._values[name]
