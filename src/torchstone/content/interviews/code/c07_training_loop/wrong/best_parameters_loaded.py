# over: solution.py
# verdict: WA value
# group: small
# en: fit only remembers the best state; whether to load it is the caller's choice.
# zh: fit 只负责记住最好的状态，要不要载入由调用者决定。
@@
         model.train(was_training)
+        if history["best_state"] is not None:
+            model.load_state_dict(history["best_state"])
     return history
