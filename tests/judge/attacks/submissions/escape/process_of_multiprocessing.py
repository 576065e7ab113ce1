# outcome: FORBIDDEN_OP | RTE
# tries: fork by multiprocessing
import multiprocessing

process = multiprocessing.get_context("fork").Process(target=print)
process.start()
process.join()
