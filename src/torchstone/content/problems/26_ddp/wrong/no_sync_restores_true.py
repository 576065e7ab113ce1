# over: solution.py
# verdict: WA property
# group: basic
# en: no_sync inside no_sync: when the inner one ends, the outer one still holds. Restore the old
#   state, not True.
# zh: no_sync 嵌套时，内层结束后外层仍然有效：要恢复原来的状态，而不是一律设为 True。
@@ def no_sync
-        before, self.syncs = self.syncs, False
+        self.syncs = False
         try:
             yield
         finally:
-            self.syncs = before
+            self.syncs = True
