# over: good/queues.py
# verdict: WA property
# group: error
# en: Batches before it are good: raise at its place.
# zh: 之前的批次是好的；轮到它时才抛出。
@@
                 number, batch, error = self.results.get(timeout=left)
+                if error is not None:
+                    raise made(*error)
