# over: solution.py
# verdict: WA value
# group: scale
# en: step unscales once more although unscale_ was called: the gradients are divided twice.
# zh: 已经调用过 unscale_，step 又反缩放了一遍：梯度被除了两次。
@@
-        if key not in self._bad:
-            self.unscale_(optimizer)
+        bad = self._bad.pop(key, False)
+        self.unscale_(optimizer)
+        if key in self._bad:
+            self._bad[key] |= bad
