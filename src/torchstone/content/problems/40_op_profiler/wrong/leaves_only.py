# over: solution.py
# verdict: WA property
# group: sample
# en: Only layers without children have hooks; what the others run themselves is lost.
# zh: 只给没有子层的层挂钩子，其他层自己运行的部分就丢失了。
@@
         for number, (_, module) in enumerate(self._layers):
+            if any(module.children()):
+                continue
             begin = partial(self._begin, number)
