# over: solution.py
# verdict: WA property
# group: random
# en: worker_init_fn runs after the seeding: before it, all workers draw what the parent would have
#     drawn.
# zh: worker_init_fn 在设种子之后运行；若在之前，各 worker 抽到的都是父进程本要抽的数。
@@
-        # As much of a seed as each generator takes.
-        draw = random.Random(key)
-        random.seed(draw.getrandbits(64))
-        np.random.seed(draw.getrandbits(32))
-        torch.manual_seed(draw.getrandbits(63))
         failed = None
@@
             failed = described(error, worker)
+        draw = random.Random(key)
+        random.seed(draw.getrandbits(64))
+        np.random.seed(draw.getrandbits(32))
+        torch.manual_seed(draw.getrandbits(63))
         while True:
