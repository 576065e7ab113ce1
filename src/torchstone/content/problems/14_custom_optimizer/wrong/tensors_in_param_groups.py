# over: solution.py
# verdict: WA property | WA value | RTE
# group: resume
# en: A checkpoint names parameters by numbers; with tensors in it, the old ones are updated.
# zh: 检查点要用编号指代参数；把张量本身存进去，加载后更新的仍是旧参数。
@@
-            groups.append(group | {"params": [numbers[id(p)] for p in group["params"]]})
+            groups.append(dict(group))
@@
-        params = [param for group in self.param_groups for param in group["params"]]
@@
-        by_number = dict(zip(numbers, params, strict=True))
@@
-        self.state = {id(by_number[number]): entry for number, entry in entries.items()}
-        self.param_groups = [
-            copy.deepcopy(new) | {"params": old["params"]}
-            for old, new in zip(self.param_groups, groups, strict=True)
-        ]
+        self.state = {id(numbers[number]): entry for number, entry in entries.items()}
+        self.param_groups = [dict(group) for group in groups]
