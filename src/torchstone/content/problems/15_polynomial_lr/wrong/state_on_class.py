# over: solution.py
# verdict: WA value
# group: edge
# en: The position is stored on the class, so two schedulers count together.
# zh: 位置存在类上，两个调度器共用一个计数。
@@
-    """Warm up linearly, then follow a power of the remaining share of training."""
-
@@
-        self.last_epoch = last_epoch
+        type(self).last_epoch = last_epoch
@@
-        self.last_epoch += 1
+        type(self).last_epoch += 1
@@
-        return {name: value for name, value in vars(self).items() if name != "optimizer"}
+        state = {name: value for name, value in vars(self).items() if name != "optimizer"}
+        return state | {"last_epoch": self.last_epoch}
@@
     def load_state_dict(self, state: dict) -> None:
+        state = dict(state)
+        type(self).last_epoch = state.pop("last_epoch")
