# over: solution.py
# verdict: WA dtype
# group: nest
# en: Leaving an inner region switches everything off instead of going back to the outer one.
# zh: 离开内层区域时全部关闭，没有恢复外层的状态。
@@
         local.regions.pop()
+        local.regions[:] = [None for _ in local.regions]
