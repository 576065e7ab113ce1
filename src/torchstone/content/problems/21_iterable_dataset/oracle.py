"""Which item belongs to which shard, how far a shuffle may move it, and what must be equal."""

import torch

from torchstone.judge.kit import Exact, Holds

# A right answer is refused once in a thousand million runs.
RARE = 1e-9
# The kinds of exceptions that the probe raises.
NUM_ERRORS = 8


def words(en, zh):
    return {"en": en, "zh": zh}


def expect(case):
    return EXPECT[case.secret["op"]](case.secret)


def is_numbers(value):
    return isinstance(value, list) and all(type(each) is int for each in value)


def is_orders(value):
    return isinstance(value, list) and all(map(is_numbers, value))


def is_order(got, own, buffer, num_shards):
    """Whether these are the own items, each at most ``buffer`` places early."""
    if not is_numbers(got) or sorted(got) != own:
        return False
    if buffer <= 1:
        return got == own
    return all(item // num_shards <= place + buffer for place, item in enumerate(got))


def is_beginning(part, shard, num_shards, buffer):
    """Whether these can be the first outputs of a shard of an endless stream."""
    if any(item < 0 or item % num_shards != shard for item in part):
        return False
    if buffer <= 1:
        return part == [shard + num_shards * k for k in range(len(part))]
    return all(item // num_shards <= k + buffer for k, item in enumerate(part))


def expect_shards(secret):
    streams, workers = secret["streams"], max(secret["workers"], 1)

    def owns(world, rank, size, worker):
        return list(range(rank * workers + worker, size, world * workers))

    def each_right(found):
        if not isinstance(found, list) or len(found) != len(streams):
            return False
        return all(
            isinstance(got, list)
            and len(got) == workers
            and all(
                is_order(part, owns(world, rank, size, worker), buffer, world * workers)
                for worker, part in enumerate(got)
            )
            for got, (world, rank, size, buffer) in zip(found, streams, strict=True)
        )

    truth = [[owns(*stream[:3], worker) for worker in range(workers)] for stream in streams]
    wanted = words(
        "for each worker the items of shard rank*W + worker of world_size*W, in order or through "
        "the buffer",
        "每个 worker 给出 world_size*W 片中第 rank*W + worker 片的样本，按原序或经缓冲区打乱",
    )
    expected = {
        "shards": Holds(each_right, wanted, truth=truth),
        "pulls": Exact(
            [[stream[2]] * workers for stream in streams],
            note=words(
                "how often each worker pulls from the source", "每个 worker 从数据源取了多少次"
            ),
        ),
        "kept": Exact(
            True,
            note=words("the global generators are kept", "全局随机数发生器保持不变"),
        ),
    }
    return expected | counted_workers("during", secret["workers"])


def counted_workers(name, workers):
    def enough(counts):
        return (
            isinstance(counts, list)
            and len(counts) == 1
            and isinstance(counts[0], list)
            and len(counts[0]) == 6
            and type(counts[0][0]) is str
            and counts[0][0] == name
            and type(counts[0][1]) is int
            and counts[0][1] >= workers
        )

    wanted = words(f"{workers} worker processes", f"{workers} 个 worker 进程")
    return {"counts": Holds(enough, wanted)}


def expect_bound(secret):
    world, rank = secret["at"]
    workers, buffer = max(secret["workers"], 1), secret["buffer"]
    num_shards, outputs = world * workers, secret["outputs"]

    def right_items(items):
        if not is_numbers(items) or len(items) != outputs or len(set(items)) != outputs:
            return False
        parts = (items[worker::workers] for worker in range(workers))
        return all(
            is_beginning(part, rank * workers + worker, num_shards, buffer)
            for worker, part in enumerate(parts)
        )

    def right_pulls(pulls):
        if not is_numbers(pulls) or len(pulls) != outputs:
            return False
        if secret["workers"]:
            # Each worker is some outputs ahead of the loader.
            return pulls[-1] <= workers * num_shards * (outputs + buffer + 2)
        if buffer <= 1:
            return pulls == [rank + num_shards * k + 1 for k in range(outputs)]
        return all(0 < got <= num_shards * (k + buffer + 2) for k, got in enumerate(pulls))

    return {
        "items": Holds(
            right_items,
            words(
                "own items, each once, output k from the first k + buffer places of the shard",
                "本分片的样本，各一次，第 k 个输出来自分片的前 k + 缓冲区大小 个位置",
            ),
        ),
        "pulls": Holds(
            right_pulls,
            words(
                "no more pulls than the bound; without a buffer exactly up to the item",
                "取样次数不超过上界；没有缓冲区时恰好取到该样本为止",
            ),
        ),
    }


def expect_orders(secret):
    num_shards, size = secret["num_shards"], secret["size"]
    num_keys = len(secret["seeds"]) * len(secret["epochs"])

    def right(runs):
        if not isinstance(runs, list) or len(runs) != 3 or not all(map(is_orders, runs)):
            return False
        if runs[0] != runs[1] or runs[0] != runs[2] or len(runs[0]) != num_keys * num_shards:
            return False
        seen = set()
        for place, order in enumerate(runs[0]):
            shard = place % num_shards
            own = list(range(shard, size, num_shards))
            if not is_order(order, own, secret["buffer"], num_shards):
                return False
            seen.add(tuple(item // num_shards for item in order))
        return len(seen) == len(runs[0])

    wanted = words(
        "the same orders whatever the global generators, the salt of hash and the process, and "
        "another one for every seed, epoch and shard",
        "无论全局随机状态、hash 的盐与所在进程如何，次序都相同；种子、轮次、分片不同则次序不同",
    )
    note = words("the global generators are kept", "全局随机数发生器保持不变")
    return {"runs": Holds(right, wanted), "kept": Exact(True, note=note)}


def expect_persistent(secret):
    size, num_epochs = secret["size"], len(secret["epochs"])

    def is_passes(found):
        if not isinstance(found, list) or len(found) != num_epochs:
            return False
        whole = list(range(size))
        if not all(is_numbers(each) and sorted(each) == whole for each in found):
            return False
        return len({tuple(each) for each in found}) == num_epochs

    wanted = words(
        "another order of the same items in every epoch, also where the workers stay",
        "每一轮都是同样样本的另一种次序，worker 常驻时也如此",
    )
    # Which of the two passes belongs to which epoch is seen by their equality.
    return {
        "stayed": Holds(is_passes, wanted),
        "fresh": Holds(is_passes, wanted),
        "equal": Exact(True, note=words("equal to fresh loaders", "与新建的加载器相同")),
        **counted_workers("between", secret["workers"]),
    }


def expect_failing(secret):
    # Of each place all exceptions, one after the other.
    places = [at for at in secret["at"] for _ in range(NUM_ERRORS)]

    def right(found):
        if not isinstance(found, list) or len(found) != len(places):
            return False
        for at, each in zip(places, found, strict=True):
            if not isinstance(each, list) or len(each) != 2 or each[1] is not True:
                return False
            items = each[0]
            if not is_numbers(items) or len(set(items)) != len(items):
                return False
            if any(not 0 <= item < at for item in items):
                return False
            if secret["buffer"] <= 1 and items != list(range(max(at, 0))):
                return False
        return True

    wanted = words(
        "the exception of the source itself, without a buffer after every item before it",
        "数据源抛出的那个异常本身；没有缓冲区时，先给出它之前的全部样本",
    )
    return {"failing": Holds(right, wanted)}


def expect_objects(secret):
    def right(found):
        return is_numbers(found) and (
            found == list(range(9)) if secret["buffer"] <= 1 else sorted(found) == list(range(9))
        )

    wanted = words("every object of the source itself", "数据源给出的每个对象本身")
    return {"objects": Holds(right, wanted)}


def expect_passes(secret):
    def right(found):
        if not is_orders(found) or len(found) != 4 or any(each != found[0] for each in found):
            return False
        return is_order(found[0], list(range(secret["size"])), secret["buffer"], 1)

    wanted = words("four equal passes", "四次相同的遍历")
    return {"passes": Holds(right, wanted), "rest": Exact(0)}


def expect_defaults(secret):
    own, buffer = list(range(secret["size"])), secret["buffer"]

    def right(found):
        if not is_orders(found) or len(found) != 3:
            return False
        plain, shuffled, given = found
        return plain == own and shuffled == given and is_order(given, own, buffer, 1)

    wanted = words(
        "without arguments the order of the source, and without a seed the order of seed 0",
        "不给参数时为数据源的次序；不给 seed 时与 seed 为 0 的次序相同",
    )
    return {"passes": Holds(right, wanted)}


def expect_refused(secret):
    of_value = ("buffer", "world_size", "negative_rank", "large_rank")
    truth = dict.fromkeys(("generator", "list", "none"), "TypeError")
    truth |= dict.fromkeys(of_value, "ValueError") | {"len": "TypeError", "iterable_dataset": True}
    return {"refused": Exact(truth)}


def expect_statistics(secret):
    size, num_seeds = secret["size"], len(secret["seeds"])

    def right(counted):
        if not is_numbers(counted) or len(counted) != size or sum(counted) != num_seeds:
            return False
        places = size
        if secret["which"] == "first":
            # Some fill the buffer to one more for an instant.
            places = secret["buffer"] + (1 if counted[secret["buffer"]] else 0)
        if min(counted) < 0 or any(counted[places:]):
            return False
        mean = num_seeds / places
        chi2 = sum((got - mean) ** 2 / mean for got in counted[:places])
        half = torch.tensor([(places - 1) / 2, chi2 / 2], dtype=torch.float64)
        return torch.special.gammaincc(half[0], half[1]).item() > RARE

    wanted = words(
        f"about the same count in each of the allowed places, of {num_seeds}",
        f"{num_seeds} 次大致均匀地落在允许的位置上",
    )
    return {"counted": Holds(right, wanted)}


def expect_large(secret):
    world, rank = secret["at"]

    def right(numbers):
        if not isinstance(numbers, torch.Tensor) or numbers.dtype != torch.int64:
            return False
        own = torch.arange(rank, secret["size"], world)
        if numbers.shape != own.shape or not torch.equal(numbers.sort().values, own):
            return False
        places = torch.arange(len(own))
        return bool((numbers // world <= places + secret["buffer"]).all())

    wanted = words(
        "every own item once, within the buffer", "本分片的每个样本各一次，不超出缓冲区的范围"
    )
    return {"numbers": Holds(right, wanted)}


EXPECT = {
    "shards": expect_shards,
    "bound": expect_bound,
    "orders": expect_orders,
    "persistent": expect_persistent,
    "failing": expect_failing,
    "objects": expect_objects,
    "passes": expect_passes,
    "defaults": expect_defaults,
    "refused": expect_refused,
    "statistics": expect_statistics,
    "large": expect_large,
}
