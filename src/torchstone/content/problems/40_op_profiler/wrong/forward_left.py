# over: good/wrapped_forward.py
# verdict: WA property
# group: sample
# en: The wrapped forward stays on the modules.
# zh: 被包装的 forward 留在了模块上。
@@
-        for module, forward in self.former:
-            if forward is None:
-                del module.forward
-            else:
-                module.forward = forward
+        self.former.clear()
         self.end_step()
