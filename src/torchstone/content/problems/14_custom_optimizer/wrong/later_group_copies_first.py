# over: solution.py
# verdict: WA value | WA property
# group: groups
# en: A later group gets what it lacks from the constructor, not from another group.
# zh: 后加的参数组缺少的设置取自构造函数，而不是别的参数组。
@@
-        self.param_groups.append(self.defaults | group | {"params": params})
+        given = self.param_groups[0] if self.param_groups else self.defaults
+        self.param_groups.append(given | group | {"params": params})
