# over: solution.py
# verdict: WA property
# group: race
# en: Copy all names under one lock; otherwise an update falls between two names.
# zh: 要在一次加锁内复制所有键，否则更新会落在两个键之间。
@@
             self._changed.wait_for(lambda: self._may_pull(worker))
-            return self._snapshot()
+        found = {}
+        for name in self._params:
+            with self._changed:
+                found[name] = self._params[name].clone()
+        return found
