# over: solution.py
# verdict: WA property
# group: edge
# en: An iterator that is made in the constructor is empty in the second epoch.
# zh: 在构造函数里建好的迭代器，第二轮就空了。
@@
         self.loader, self.device, self.depth, self.pin = loader, device, depth, pin
+        self.batches = iter(loader)
@@
-        return prefetched(iter(self.loader), self.device, self.depth, self.pin)
+        return prefetched(self.batches, self.device, self.depth, self.pin)
