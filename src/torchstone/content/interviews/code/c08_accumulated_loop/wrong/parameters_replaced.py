# over: solution.py
# verdict: WA property
# group: sample
# en: New parameter objects are unknown to the optimizer; copy into the old ones.
# zh: 换成新的参数对象，优化器就不认识了；应复制进原来的参数。
@@
-        model.load_state_dict(best_state)
+        model.load_state_dict(best_state, assign=True)
