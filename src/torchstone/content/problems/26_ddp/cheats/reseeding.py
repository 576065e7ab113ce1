# over: solution.py
# verdict: WA value
# group: basic
# en: Draws the weights anew from a shared seed instead of communicating.
# zh: 不通信，而是用同一个种子重新生成权重。
@@
-        self._copy_from_first([*module.parameters(), *module.buffers()])
+        torch.manual_seed(0)
+        with torch.no_grad():
+            for each in module.parameters():
+                each.copy_(torch.randn_like(each) * 0.5)
