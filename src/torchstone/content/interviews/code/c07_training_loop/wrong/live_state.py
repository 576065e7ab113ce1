# over: solution.py
# verdict: WA value
# group: small
# en: state_dict returns references; the next step writes into the state that was to be kept.
# zh: `state_dict` 返回的是引用；下一步更新会写进想要留住的状态。
@@
-                history["best_state"] = {name: value.clone() for name, value in state.items()}
+                history["best_state"] = dict(state)
