# over: solution.py
# verdict: FORBIDDEN_OP
# en: Takes the times from cProfile.
# zh: 用 cProfile 取时间。
@@
+import cProfile
 from dataclasses import dataclass, field
@@
     def step(self) -> None:
+        cProfile.Profile()
         self._step += 1
