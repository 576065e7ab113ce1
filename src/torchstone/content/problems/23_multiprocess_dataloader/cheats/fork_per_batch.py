# over: solution.py
# verdict: WA property
# group: process
# en: Forks a process for every batch and waits for it: no worker, no reading ahead.
# zh: 每一批都 fork 一个进程再等它：没有 worker，也没有预读。
@@
-        return self.in_workers(plan, key) if self.num_workers else map(self.load, plan)
+        return self.one_by_one(plan) if self.num_workers else map(self.load, plan)
+
+    def one_by_one(self, plan):
+        for indices in plan:
+            ours, theirs = multiprocessing.Pipe()
+            process = multiprocessing.Process(target=self.once, args=(theirs, indices))
+            process.start()
+            theirs.close()
+            batch = pickle.loads(ours.recv_bytes())
+            process.join()
+            process.close()
+            ours.close()
+            yield batch
+
+    def once(self, link, indices):
+        link.send_bytes(pickle.dumps(self.load(indices)))
