# over: solution.py
# verdict: WA dtype
# group: nest
# en: Function modes stack: the outer region sees the calls of the inner one and casts them
#     again.
# zh: 函数模式会叠加：外层区域也看到内层的调用，又转换了一遍。
@@
-        self.regions: list[torch.dtype | None] = []
-        self.mode: Casts | None = None
+        self.regions: list[Casts] = []
@@
 class Casts(TorchFunctionMode):
+    def __init__(self, dtype: torch.dtype | None) -> None:
+        super().__init__()
+        self.dtype = dtype
+
@@
-        dtype, name = local.regions[-1], getattr(func, "__name__", "")
+        dtype, name = self.dtype, getattr(func, "__name__", "")
@@
-        if not local.regions:
-            local.mode = Casts()
-            local.mode.__enter__()
-        local.regions.append(self.target)
+        local.regions.append(Casts(self.target))
+        local.regions[-1].__enter__()
@@
-        local.regions.pop()
+        local.regions.pop().__exit__(*exc_info)
@@
-            local.mode.__exit__(*exc_info)
-            local.mode = None
