# over: solution.py
# verdict: WA dtype
# group: nest
# en: With enabled=False the outer region goes on; a disabled region must switch casts off.
# zh: enabled=False 时外层仍在起作用；停用的区域应当关闭转换。
@@
-        local.regions.append(self.target)
+        local.regions.append(self.target or (local.regions or [None])[-1])
