# over: solution.py
# verdict: WA property
# group: protocol
# en: Does not return what optimizer.step returned.
# zh: 没有返回 optimizer.step 的返回值。
@@
-            return optimizer.step(*args, **kwargs)
+            optimizer.step(*args, **kwargs)
+            return None
@@
-        return None if self._bad[key] else optimizer.step(*args, **kwargs)
+        if not self._bad[key]:
+            optimizer.step(*args, **kwargs)
+        return None
