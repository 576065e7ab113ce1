# over: solution.py
# verdict: WA property
# group: edge
# en: The hooks are removed only if no exception leaves the block.
# zh: 只有块内没有异常时才移除钩子。
@@
-        for handle in self._handles:
-            handle.remove()
+        if exc[0] is None:
+            for handle in self._handles:
+                handle.remove()
         if self._profile is not None:
