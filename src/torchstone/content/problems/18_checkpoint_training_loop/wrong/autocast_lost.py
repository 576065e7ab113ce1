# over: solution.py
# verdict: WA grad
# group: checkpoint
# en: The recomputation runs with the autocast state of backward; autocast is a state of the
#   thread and must be kept and restored like the generator.
# zh: 重算时用的是反向时的 autocast 状态；autocast 是线程状态，要像生成器一样保存并恢复。
@@
-        ctx.autocast = {
-            "enabled": torch.is_autocast_enabled("cpu"),
-            "dtype": torch.get_autocast_dtype("cpu"),
-        }
@@
-            with torch.enable_grad(), torch.autocast("cpu", **ctx.autocast):
+            with torch.enable_grad():
