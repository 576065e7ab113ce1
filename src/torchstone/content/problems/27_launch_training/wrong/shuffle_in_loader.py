# over: solution.py
# verdict: RTE
# group: sample
# en: DataLoader refuses shuffle together with a sampler.
# zh: DataLoader 的 shuffle 与 sampler 互斥。
@@
-    loader = DataLoader(dataset, batch_size=args.batch_size, sampler=sampler)
+    loader = DataLoader(dataset, batch_size=args.batch_size, sampler=sampler, shuffle=True)
