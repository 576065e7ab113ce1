# over: solution.py
# verdict: WA property
# group: small
# en: step returns what the closure returned.
# zh: step 要返回闭包的返回值。
@@
-        loss = None
@@
-                loss = closure()
+                closure()
@@
-        return loss
+        return None
