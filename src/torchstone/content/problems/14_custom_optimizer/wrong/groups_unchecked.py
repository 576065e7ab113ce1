# over: solution.py
# verdict: WA property | RTE
# group: errors
# en: A state whose groups have other sizes belongs to another model; loading it is an error.
# zh: 参数组的个数或大小对不上的状态属于别的模型，加载时要报错。
@@
-        sizes = [len(group["params"]) for group in self.param_groups]
-        if sizes != [len(group["params"]) for group in groups]:
-            raise ValueError("the groups of the loaded state differ in number or size")
+        if len(groups) != len(self.param_groups):
+            raise ValueError("the groups of the loaded state differ in number")
@@
-        by_number = dict(zip(numbers, params, strict=True))
+        by_number = dict(zip(numbers, params, strict=False))
