# over: solution.py
# verdict: WA property
# group: sample
# en: The hooks stay. Keep their handles, and remove them in __exit__.
# zh: 钩子没有移除。应保存句柄，在 __exit__ 中移除。
@@
-        for handle in self._handles:
-            handle.remove()
         if self._profile is not None:
