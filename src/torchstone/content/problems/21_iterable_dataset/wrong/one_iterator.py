# over: solution.py
# verdict: WA property | RTE
# group: edge
# en: iter() begins anew; an iterator on self leaves nothing for the second pass.
# zh: iter() 必须从头开始；迭代器放在 self 上，第二遍就没有东西了。
@@
     def __iter__(self) -> Iterator:
+        if not hasattr(self, "stream"):
+            self.stream = self.begin()
+        return self.stream
+
+    def begin(self) -> Iterator:
