"""What each batch holds and where it comes from, and what may be left of a pass."""

from torchstone.judge.kit import Exact, Holds


def words(en, zh):
    return {"en": en, "zh": zh}


def expect(case):
    return EXPECT[case.secret["op"]](case.secret)


def is_list(value, of=None):
    return isinstance(value, list) and (of is None or all(type(each) is of for each in value))


def is_lists(value, of=None):
    return is_list(value) and all(is_list(each, of) for each in value)


def batches_of(items, size, drop_last=False):
    found = [items[start : start + size] for start in range(0, len(items), size)]
    return [each for each in found if len(each) == size or not drop_last]


KEPT = Exact(
    True,
    note=words("the global generators of the parent are kept", "父进程的全局随机数生成器保持不变"),
)


def nested(numbers, base):
    return {
        "row": ["tensor", "int64", [[number, -number] for number in numbers]],
        "pair": [
            ["tensor", "int64", numbers],
            ["tensor", "float64", [number / 4 for number in numbers]],
        ],
        "name": [f"n{number}" for number in numbers],
        "flag": [["tensor", "int64", [number - base for number in numbers]]],
    }


def expect_value(secret):
    found, base = [], secret["base"]
    for size, batch_size, drop_last, _, kind in secret["runs"]:
        parts = batches_of(list(range(base, base + size)), batch_size, drop_last)
        made = [nested(each, base) if kind == "nested" else ["bundle", *each] for each in parts]
        found.append([len(parts), made])

    def right(runs):
        if not is_lists(runs) or len(runs) != len(found):
            return False
        return all(
            type(own[0]) is int and own[:1] == wanted[:1] and same(own[1:], wanted[1:], workers)
            for own, wanted, workers in zip(runs, found, numbers, strict=True)
        )

    numbers = [workers for _, _, _, workers, _ in secret["runs"]]
    wanted = words("the length and all batches of each loader", "每个加载器的长度与全部批次")
    return {"runs": Holds(right, wanted, aspect="value", truth=found), "kept": KEPT}


def expect_defaults(secret):
    numbers = list(range(secret["base"], secret["base"] + secret["size"]))
    ones, pairs = (
        [["tensor", "int64", batch] for batch in batches_of(numbers, size)] for size in (1, 2)
    )

    def right(found):
        if not is_list(found) or len(found) != 4:
            return False
        return found[:2] == [ones, pairs] and found[2] == found[3]

    wanted = words(
        "batches of one, of two with the last one kept, and without a seed the order of seed 0",
        "依次为：每批一个；每批两个且保留最后一批；不给 seed 时与 seed 为 0 的次序相同",
    )
    return {"batches": Holds(right, wanted, aspect="value")}


def same(own, wanted, workers):
    """Whether these are the batches; where there are workers, their order is another question."""
    if not workers:
        return repr(own) == repr(wanted)
    return (
        len(own) == 1
        and is_list(own[0])
        and sorted(map(repr, own[0])) == sorted(map(repr, wanted[0]))
    )


def expect_order(secret):
    batches = batches_of(list(range(secret["size"])), secret["batch_size"])
    note = words("the order of the sampler, whoever is first", "采样器的次序，不论谁先完成")
    return {"batches": Exact(batches, note=note)}


def expect_shuffle(secret):
    size = secret["size"]

    def right(orders):
        if not is_list(orders) or len(orders) != len(secret["workers"]):
            return False
        if not all(is_lists(each, int) and each == orders[0] for each in orders):
            return False
        found = orders[0]
        if len(found) != 5 or any(sorted(each) != list(range(size)) for each in found):
            return False
        # Epochs 0, 0, 1, 0 of one seed and 0 of another one.
        distinct = {tuple(each) for each in (*found[1:3], found[4], range(size))}
        return found[0] == found[1] == found[3] and len(distinct) == 4

    wanted = words(
        "a permutation by (seed, epoch) alone: equal for equal keys and every number of workers, "
        "another one for another epoch or seed",
        "只由 (seed, epoch) 决定的排列：键相同则相同，与 worker 数无关；轮次或种子不同则不同",
    )
    return {"orders": Holds(right, wanted), "kept": KEPT}


def expect_new_epoch(secret):
    # Of each sample its index, or the number that it draws.
    size, part = secret["size"], ("order", "draws").index(secret["of"])

    def is_pass(samples):
        shape = is_lists(samples) and all(list(map(type, each)) == [int, float] for each in samples)
        return shape and sorted(index for index, _ in samples) == list(range(size))

    def is_kept(passes):
        if not is_list(passes) or len(passes) != 3 or not all(map(is_pass, passes)):
            return False
        whole, living, later = ([sample[part] for sample in one] for one in passes)
        return whole == living != later

    def right(found):
        return is_list(found) and len(found) == len(secret["workers"]) and all(map(is_kept, found))

    wanted = {
        "order": words(
            "a pass that has begun keeps its order when set_epoch is called; the next has another",
            "已开始的一遍在调用 set_epoch 之后次序不变；下一遍才换",
        ),
        "draws": words(
            "a pass that has begun keeps its random numbers when set_epoch is called; the next "
            "draws others",
            "已开始的一遍在调用 set_epoch 之后随机数不变；下一遍才换",
        ),
    }
    return {"passes": Holds(right, wanted[secret["of"]])}


def expect_process(secret):
    workers = secret["workers"]

    def is_crew(number):
        return type(number) is int and 2 <= number <= workers

    def is_counted(counts):
        return is_lists(counts) and [each[:3] for each in counts] == [["during", workers, 0]]

    return {
        "batches": Exact(batches_of(list(range(secret["size"])), 2), aspect="value"),
        "counts": Holds(
            is_counted,
            words(
                f"{workers} child processes during the pass, counted from outside",
                f"遍历期间从外面数到 {workers} 个子进程",
            ),
        ),
        "in_parent": Exact(
            False, note=words("__getitem__ in the parent", "__getitem__ 在父进程里")
        ),
        "collated_in_parent": Exact(
            False, note=words("collate_fn in the parent", "collate_fn 在父进程里")
        ),
        "num_readers": Holds(
            is_crew,
            words(f"samples read by 2 to {workers} processes", f"样本由 2 到 {workers} 个进程读取"),
        ),
        "num_makers": Exact(
            0, note=words("batches made by processes that read none", "由不读样本的进程拼成的批次")
        ),
        "init": Exact(
            workers,
            note=words(
                "workers that call worker_init_fn once", "恰好调用一次 worker_init_fn 的 worker"
            ),
        ),
        "init_in_parent": Exact(
            False, note=words("worker_init_fn in the parent", "worker_init_fn 在父进程里")
        ),
        "init_late": Exact(
            0, note=words("samples read before worker_init_fn", "在 worker_init_fn 之前读取的样本")
        ),
    }


def expect_random(secret):
    size, num_passes = secret["size"], len(secret["passes"])

    def columns(draws):
        return [[each[generator] for each in draws] for generator in range(3)]

    def is_drawn(found):
        if not is_list(found) or len(found) != num_passes:
            return False
        return all(
            is_lists(each, float) and len(each) == size and all(len(row) == 3 for row in each)
            for each in found
        )

    def is_distinct(found):
        return is_drawn(found) and all(
            len(set(column)) == size for each in found for column in columns(each)
        )

    def is_repeated(found):
        return is_distinct(found) and found[0] == found[1]

    def differs(found, other):
        # Also from what another worker has drawn: sums of the three numbers come again.
        pairs = zip(columns(found[0]), columns(found[other]), strict=True)
        return all(set(own).isdisjoint(its) for own, its in pairs)

    def right(found):
        return is_repeated(found) and differs(found, 2) and differs(found, 3)

    wanted = words(
        "draws of torch, random and numpy that no two workers share, that come again for the same "
        "(seed, epoch, num_workers) in any timing, and are others in another epoch or with another "
        "seed",
        "torch、random 与 numpy 的随机数：各 worker 互不相同；(seed, epoch, num_workers) 相同时，"
        "无论快慢都重现；轮次或种子不同则不同",
    )
    return {"draws": Holds(right, wanted), "begun": _begun(secret["passes"]), "kept": KEPT}


def _begun(passes):
    """Expect the same draws of worker_init_fn in two passes of one key, and others per worker."""
    count = 3 * passes[0][2]

    def right(found):
        if not is_lists(found, int) or [len(each) for each in found] != [count] * 2:
            return False
        return found[0] == found[1] and len({0, *found[0]}) == 1 + count

    wanted = words(
        "draws in worker_init_fn that come again for the same key, and that no two workers share",
        "worker_init_fn 里抽到的随机数：键相同则重现，各 worker 互不相同",
    )
    return Holds(right, wanted)


def expect_pressure(secret):
    room = secret["workers"] * secret["depth"]

    def right(started):
        if not is_list(started, int) or len(started) != 5:
            return False
        return all(number <= given + room for given, number in enumerate(started, start=1))

    wanted = words(
        f"at most k + {room} batches begun when k have been given out",
        f"交出 k 批时，至多开始了 k + {room} 批",
    )
    return {
        "started": Holds(right, wanted),
        "ahead": Exact(
            True,
            note=words(
                "a second batch while the first is held", "消费者还拿着第一批时，第二批已经读好"
            ),
        ),
        "slow": Holds(lambda got: is_list(got, int) and all(n <= room for n in got), wanted),
    }


KINDS = {"value": "ValueError", "key": "KeyError", "two": "RuntimeError"}
KINDS |= {"os": "OSError", "eof": "EOFError", "empty": "Empty", "index": "IndexError"}
CLEAN = Exact(
    True,
    note=words(
        "nothing left: no process, no zombie, no segment, no thread",
        "没有残留：无进程、无僵尸、无共享内存段、无线程",
    ),
)


def raised_as(name):
    wanted = words(f"{name} in the place of the batch", f"在该批的位置抛出 {name}")
    if name == "StopIteration":
        wanted = words("no exception, and all batches", "没有异常，批次齐全")
    return Holds(lambda came: is_list(came, str) and name in came, wanted)


def in_turn(one):
    """Expect of each pass what one is expected of."""

    def expected(secret):
        return {
            f"{number}:{key}": expectation
            for number, run in enumerate(secret["runs"])
            for key, expectation in one(run).items()
        }

    return expected


def expect_error(secret):
    at = {"init": 0}.get(secret["where"], secret["at"] // 2)
    batches = batches_of(list(range(2 * at)), 2)
    before = words("all batches before the exception", "异常之前的全部批次")
    told = words(
        "the message, and the traceback of the worker with its functions",
        "原来的消息，以及含有函数名的 worker 端 traceback",
    )
    return {
        "batches": Exact(batches, note=before),
        "came": raised_as(KINDS[secret["kind"]]),
        "text": Exact([True] * (1 + len(secret["names"])), note=told),
        "then": Exact("StopIteration", note=words("the pass is over", "这一遍已经结束")),
    }


def expect_direct_error(secret):
    note = words("the exception itself", "异常对象本身")
    return {"first": Exact([[0, 1]] * len(KINDS)), "changed": Exact([], note=note)}


def expect_crash(secret):
    at, how = secret["at"], secret["how"]

    def is_beginning(batches):
        most = 39 if how == "idle" else at
        return is_lists(batches, int) and batches == [[n] for n in range(len(batches))][: most + 1]

    def is_before(batches):
        return is_beginning(batches) and (how == "idle" or len(batches) <= at)

    return {
        "batches": Holds(
            is_before, words("batches before the death, in order", "死亡之前的批次，按次序")
        ),
        "came": raised_as("RuntimeError"),
        "clean": CLEAN,
    }


def expect_timeout(secret):
    good, size = secret["good"], len(secret["seconds"])
    return {
        "batches": Exact([[index] for index in range(good)]),
        "came": raised_as("RuntimeError" if good < size else "StopIteration"),
        "clean": CLEAN,
    }


def expect_leak(secret):
    total = sum(range(secret["size"]))
    return {
        "left": Exact(
            "nothing",
            note=words(
                "what leaves a process, a zombie, a segment, a thread or a descriptor behind",
                "哪一步留下了进程、僵尸、共享内存段、线程或文件描述符",
            ),
        ),
        "sums": Exact([total] * 10, aspect="value"),
    }


def expect_orphan(secret):
    def none_left(counts):
        return is_lists(counts) and [each[:2] for each in counts] == [["orphans", 0]]

    wanted = words(
        "no worker that outlives a killed consumer", "消费者被杀死后，没有 worker 还活着"
    )
    return {"first": Exact([0]), "counts": Holds(none_left, wanted)}


def expect_concurrent(secret):
    def right(passes):
        if (
            not is_list(passes)
            or len(passes) != 4
            or not all(is_lists(each, int) for each in passes)
        ):
            return False
        order = [index for batch in passes[0] for index in batch]
        return sorted(order) == list(range(12)) and all(each == passes[0] for each in passes)

    wanted = words("four equal passes", "四次相同的遍历")
    return {"passes": Holds(right, wanted)}


def expect_refused(secret):
    names = ("batch_size", "num_workers", "prefetch_factor", "timeout")
    keys = [f"{name}, {workers} workers" for name in names for workers in (0, 1)]
    return {"refused": Exact(dict.fromkeys(keys, "ValueError"))}


EXPECT = {
    "value": expect_value,
    "defaults": expect_defaults,
    "order": expect_order,
    "shuffle": expect_shuffle,
    "new_epoch": expect_new_epoch,
    "process": expect_process,
    "random": expect_random,
    "pressure": expect_pressure,
    "error": in_turn(expect_error),
    "direct_error": expect_direct_error,
    "crash": in_turn(expect_crash),
    "timeout": expect_timeout,
    "leak": expect_leak,
    "orphan": expect_orphan,
    "concurrent": expect_concurrent,
    "refused": expect_refused,
}
