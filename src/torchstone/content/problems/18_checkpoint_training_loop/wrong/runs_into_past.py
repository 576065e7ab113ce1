# over: solution.py
# verdict: RTE | WA grad
# group: sample
# en: The segment is computed again from inputs that still have their history, so its backward
#   runs on into the segments before it; detach the inputs.
# zh: 重算时输入还带着历史，段内的反向一直走进前面的各段；应先对输入 detach。
@@
-            # Detached: the backward below must end here, not walk into earlier segments.
-            args[place] = saved.detach().requires_grad_(saved.requires_grad)
+            args[place] = saved
+            if saved.requires_grad:
+                saved.retain_grad()
