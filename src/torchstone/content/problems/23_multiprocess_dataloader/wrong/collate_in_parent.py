# over: solution.py
# verdict: WA property
# group: process
# en: Collating in the parent puts the copy back on the training process.
# zh: 在父进程 collate，拷贝又回到了训练进程。
@@
-        return batch
+        return self.collate_fn(batch)
@@
-                    answer = (self.load(plan[number]), None)
+                    answer = ([self.dataset[index] for index in plan[number]], None)
