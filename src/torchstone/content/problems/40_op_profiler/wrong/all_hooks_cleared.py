# over: solution.py
# verdict: WA property
# group: sample
# en: All hooks of the modules are cleared, those of the user as well.
# zh: 清空了模块的全部钩子，连用户自己的也不例外。
@@
-        for handle in self._handles:
-            handle.remove()
+        for _, module in self._layers:
+            module._forward_hooks.clear()
+            module._forward_pre_hooks.clear()
+            module._forward_hooks_always_called.clear()
         if self._profile is not None:
