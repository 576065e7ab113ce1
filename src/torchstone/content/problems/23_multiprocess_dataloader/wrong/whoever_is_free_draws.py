# over: good/shared_queue.py
# verdict: WA property
# group: random
# en: Seeds for each worker repeat only if each worker gets the same batches again; one queue for all
#     lets the timing decide.
# zh: 按 worker 设种子，要求每次分给各 worker 的批次都相同；大家共用一个队列，就由快慢决定了。
@@
         number = tasks.get()
-        seed_all(f"{key}/{number}")
