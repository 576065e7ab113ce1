# over: solution.py
# verdict: WA value
# group: timer
# en: Of a block in which a record was written only the time since the record counts; when it ends,
#   its whole time does.
# zh: 代码块运行期间写过一条记录时，只计了该记录之后的时间；代码块结束时应计入它的全部时间。
@@
         finally:
-            self.timers[name] = self.timers.get(name, 0.0) + self.clock() - begin
+            begin = max(begin, self.mark)
+            self.timers[name] = self.timers.get(name, 0.0) + self.clock() - begin
