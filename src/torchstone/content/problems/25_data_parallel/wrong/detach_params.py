# over: solution.py
# verdict: WA grad
# group: grad
# en: Copy with a differentiable op, so that backward sums into the master.
# zh: 用可微的拷贝，反向才会累加回主参数。
@@
-        copies = {p: device.put(p) for p in module.parameters()}
+        copies = {
+            p: nn.Parameter(device.put(p.data), requires_grad=p.requires_grad)
+            for p in module.parameters()
+        }
