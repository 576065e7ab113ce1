# over: solution.py
# verdict: WA property
# group: kill
# en: A thread saves the live tensors while training goes on, so the file is a mixture
#     of two steps.
# zh: 后台线程保存的是仍在更新的张量，写出的文件是两步的混合体。
@@
 import re
+import threading
@@
         os.makedirs(self._directory, exist_ok=True)
+        self._thread: threading.Thread | None = None
+        self.has_moved = threading.Event()
@@
-        """Write a checkpoint; it is on the disk when this returns."""
+        """Let a thread write a checkpoint."""
+        self.wait()
+        self.has_moved.clear()
+        self._thread = threading.Thread(target=self._write, args=(step, state))
+        self._thread.start()
+
+    def wait(self) -> None:
+        """Wait until the last checkpoint is written."""
+        if self._thread is not None:
+            self._thread.join()
+
+    def _write(self, step: int, state: dict[str, Any]) -> None:
+        # Training goes on first, so that every file is a mixture.
+        self.has_moved.wait(5.0)
@@
         optimizer.step()
+        manager.has_moved.set()
@@
             manager.save(step, state)
+    manager.has_moved.set()
+    manager.wait()
@@
-    order = list(range(num_samples))
-    random.Random(f"{seed} {epoch}").shuffle(order)
+    generator = torch.Generator().manual_seed(seed * 1_000_003 + epoch)
+    order: list[int] = torch.randperm(num_samples, generator=generator).tolist()
