# over: solution.py
# verdict: WA value
# group: sample
# en: state_dict gives the live tensors: loading them back changes nothing.
# zh: `state_dict` 给的是正在使用的张量：再载入一遍什么也不变。
@@
-            best_state = {name: value.clone() for name, value in model.state_dict().items()}
+            best_state = dict(model.state_dict())
