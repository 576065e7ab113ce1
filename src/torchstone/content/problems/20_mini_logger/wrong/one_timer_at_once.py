# over: solution.py
# verdict: WA value
# group: timer
# en: One attribute holds the begin of the block: an inner timer overwrites that of the outer one.
# zh: 代码块的起点只存在一个属性里，内层计时器会覆盖外层的起点。
@@
-        begin = self.clock()
+        self.began = self.clock()
@@
-            self.timers[name] = self.timers.get(name, 0.0) + self.clock() - begin
+            self.timers[name] = self.timers.get(name, 0.0) + self.clock() - self.began
