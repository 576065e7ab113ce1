# over: solution.py
# verdict: WA grad
# group: order
# en: Ranks may fill their buckets in another order, but collective calls are matched by their
#   order: launch in that of the buckets.
# zh: 各 rank 填满桶的先后可能不同，而集合通信按发起的次序配对：必须按桶的次序发起。
@@
         self.launched = []
+        self.order = []
@@
-        self.missing[self.bucket_of[parameter]].discard(parameter)
-        self._launch()
+        number = self.bucket_of[parameter]
+        self.missing[number].discard(parameter)
+        if not self.missing[number]:
+            self._launch_one(number)
@@
-        while len(self.launched) < len(self.buckets) and not self.missing[len(self.launched)]:
-            bucket = self.buckets[len(self.launched)]
-            flat = torch.cat([grad_or_zero(parameter).reshape(-1) for parameter in bucket])
-            work = dist.all_reduce(flat, group=self.group, async_op=True)
-            self.launched.append((flat, work))
+        for number in range(len(self.buckets)):
+            if number not in self.order:
+                self._launch_one(number)
+
+    def _launch_one(self, number):
+        flat = torch.cat([grad_or_zero(each).reshape(-1) for each in self.buckets[number]])
+        self.order.append(number)
+        self.launched.append((flat, dist.all_reduce(flat, group=self.group, async_op=True)))
@@
-        for bucket, (flat, work) in zip(self.buckets, self.launched, strict=False):
+        for number, (flat, work) in zip(self.order, self.launched, strict=True):
+            bucket = self.buckets[number]
