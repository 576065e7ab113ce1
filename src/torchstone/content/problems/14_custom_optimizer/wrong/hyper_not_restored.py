# over: solution.py
# verdict: WA value | WA property
# group: resume
# en: Loading restores the hyper-parameters of the groups, too: a schedule goes on where it was.
# zh: 加载时也要恢复各参数组的超参数，学习率才能从原处继续。
@@
-        self.param_groups = [
-            copy.deepcopy(new) | {"params": old["params"]}
-            for old, new in zip(self.param_groups, groups, strict=True)
-        ]
