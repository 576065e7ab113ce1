# over: solution.py
# verdict: WA value
# group: sample
# en: The model that is left behind is the best one, not the last.
# zh: 留下的应当是最好的模型，而不是最后的。
@@
-    if best_state:
-        # Copies into the parameters that the optimizer holds.
-        model.load_state_dict(best_state)
     model.train(was_training)
