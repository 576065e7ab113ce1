# over: solution.py
# verdict: WA property | WA value | RTE
# group: race
# en: Two threads read the same value and each writes its own sum: one update is lost.
# zh: 两个线程读到同一个值，各自写回自己的结果：一次更新就丢失了。
@@
     def push(self, worker, grads):
         self._check_worker(worker)
+        self._check_push(worker, grads)
+        copies = {name: grad.detach().clone() for name, grad in grads.items()}
+        self._clocks[worker] += 1
+        if self._mode == "sync":
+            self._queues[worker].append(copies)
+            with self._changed:
+                self._apply_rounds()
+        else:
+            self._apply([copies])
         with self._changed:
-            self._check_push(worker, grads)
-            copies = {name: grad.detach().clone() for name, grad in grads.items()}
-            self._clocks[worker] += 1
-            if self._mode == "sync":
-                self._queues[worker].append(copies)
-                self._apply_rounds()
-            else:
-                self._apply([copies])
             self._changed.notify_all()
-            return self._version
+        return self._version
@@
-                value.sub_(self._lr * velocity)
+                self._params[name] = value - self._lr * velocity
