# over: solution.py
# verdict: WA dtype
# group: nest
# en: One object remembers one former state. Entered again inside itself it forgets the outer
#     one, and the casts never end.
# zh: 一个对象只记住一个先前状态；在自身内部再次进入时，外层的状态就丢了，转换再也停不下来。
@@
-        local.regions.append(self.target)
+            local.regions.append(None)
+        self.former = local.regions[-1]
+        local.regions[-1] = self.target
@@
-        local.regions.pop()
-        if not local.regions:
+        local.regions[-1:] = [self.former]
+        if local.mode is not None and self.former is None:
+            local.regions.clear()
