# over: solution.py
# verdict: WA property
# group: random
# en: seed + epoch + worker is one number: in the next epoch a worker draws what the next worker drew in this one.
# zh: seed + epoch + worker 只是一个数：下一个 epoch 里，每个 worker 抽到的正是后一个 worker 这次抽过的。
@@
-        plan, key = self.plan(), f"{self.seed} {self.epoch}"
+        plan, key = self.plan(), self.seed + self.epoch
@@
-                args = (theirs, plan, worker, f"{key} {worker}", os.getpid())
+                args = (theirs, plan, worker, key + worker, os.getpid())
@@
-    def work(self, link, plan: list[list[int]], worker: int, key: str, parent: int) -> None:
+    def work(self, link, plan: list[list[int]], worker: int, key: int, parent: int) -> None:
