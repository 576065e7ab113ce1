"""Drive a loader over datasets that write what happens in them to a file that processes share."""

import gc
import mmap
import queue
import random
import signal
import sys
import traceback
from functools import partial
from itertools import zip_longest
from os import _exit, getpid, kill
from time import monotonic, sleep
from types import ModuleType

import numpy as np
import torch

# What a right answer does at once has so long.
BOUND_S = 12.0
# How long a loader may take to notice a death, for which it has 5 s, and to read ahead.
DEATH_S = 8.0
# So long a slow sample waits for another one, and a consumer for what must not happen.
GATE_S, PAUSE_S, QUIET_S = 1.5, 0.2, 0.1
# So often they look. On a busy machine they look later, and each look counts as one in time.
LOOK_S = 0.002
# So long a sample waits for a second process, of which a busy machine may starve one.
MEETING_S = 4.0
# Rows of the board: of each sample when it was begun and ended, and by which process; of each call
# of collate_fn and of worker_init_fn the process; of each worker how many samples came before it.
STARTED, DONE, PID, COLLATED, INIT, EARLY, SEEN = range(7)
ROW = 256
ROWS = 7
PARENT = getpid()
TOUCHED = []


class Board:
    """Numbers in a file that all processes map; a copy that was pickled maps it again."""

    def __init__(self, path="board"):
        self.path = path
        with open(path, "wb") as file:
            file.truncate(8 * ROW * ROWS)
        self._map()

    def _map(self):
        with open(self.path, "r+b") as file:
            self.cells = memoryview(mmap.mmap(file.fileno(), 8 * ROW * ROWS)).cast("q")

    def __getstate__(self):
        return self.path

    def __setstate__(self, path):
        self.path = path
        self._map()

    def set(self, row, column, value=1):
        self.cells[row * ROW + column] = value

    def get(self, row, column):
        return self.cells[row * ROW + column]

    def row(self, row):
        return list(self.cells[row * ROW : (row + 1) * ROW])


class TwoParts(Exception):
    """Cannot be made of one string."""

    def __init__(self, code, reason):
        super().__init__(f"{reason} ({code})")
        self.code, self.reason = code, reason


ERRORS = {
    "value": lambda word: ValueError(word),
    "key": lambda word: KeyError(word),
    "os": lambda word: OSError(word),
    "eof": lambda word: EOFError(word),
    "empty": lambda word: queue.Empty(word),
    "index": lambda word: IndexError(word),
    "two": lambda word: TwoParts(7, word),
}
DEATHS = {
    "kill": lambda: kill(getpid(), signal.SIGKILL),
    "exit": lambda: _exit(0),
    "segv": lambda: kill(getpid(), signal.SIGSEGV),
}


class Items:
    """The numbers base, base + 1, ...; each one notes when and where it was read."""

    def __init__(self, board, size, base=0, **does):
        self.board, self.size, self.base, self.does = board, size, base, does

    def __len__(self):
        return self.size

    def __getitem__(self, index):
        board = self.board
        TOUCHED.append(index)
        board.set(PID, index, getpid())
        board.set(STARTED, index)
        self.act(index, **self.does)
        board.set(DONE, index)
        return self.base + index

    def act(self, index, **does):
        """Do nothing more."""


class Slow(Items):
    """Some samples wait until another one has been read, and a moment longer."""

    def act(self, index, gates):
        if str(index) in gates:
            wait_until(lambda: self.board.get(DONE, gates[str(index)]), GATE_S)
            self.board.set(SEEN, index, wait_until_quiet(self.board))


class Paced(Items):
    """Every sample takes a while."""

    def act(self, index, seconds):
        sleep(seconds[index % len(seconds)])


class Meeting(Items):
    """The first sample of each of two batches waits until two processes have read one."""

    def act(self, index):
        if index in (0, 2):
            wait_until(lambda: len(set(self.board.row(PID)) - {0}) > 1, MEETING_S)


class Failing(Items):
    """One sample raises, after another one has begun, or ends its process."""

    def act(self, index, at, kind, word, after=None):
        if index == after:
            wait_until(lambda: self.board.get(STARTED, at), GATE_S)
            # What the other worker does now is over when nothing has begun for a while.
            wait_until_quiet(self.board)
        if index == at:
            read_the_page(kind, word)


def read_the_page(kind, word):
    if kind in DEATHS:
        DEATHS[kind]()
        sleep(BOUND_S)
    raise ERRORS[kind](word)


class Drawing(Items):
    """Samples that the three global generators draw; some wait until another one is drawn."""

    def __getitem__(self, index):
        gates = self.does["gates"]
        if str(index) in gates:
            wait_until(lambda: self.board.get(DONE, gates[str(index)]), GATE_S)
        drawn = draw()
        self.board.set(DONE, index)
        return drawn


class Marked(Items):
    """Samples that hold their index and what a global generator draws."""

    def __getitem__(self, index):
        return [index, torch.rand((), dtype=torch.float64).item()]


class Nested(Items):
    """Samples of every kind that default_collate takes."""

    def __getitem__(self, index):
        number = self.base + index
        row = torch.tensor([number, -number], dtype=torch.int64)
        return {"row": row, "pair": (number, number / 4), "name": f"n{number}", "flag": [index]}


class Large(Items):
    """Tensors of 200 kB."""

    def __getitem__(self, index):
        self.act(index, **self.does)
        return torch.full((50_000,), float(index))

    def act(self, index, seconds=0.0, fails=False):
        sleep(seconds if index else 0.0)
        if fails and index:
            raise ValueError("this pass fails")


class Collate:
    """A collate_fn that notes its process."""

    def __init__(self, board, at=None):
        self.board, self.at = board, at

    def __call__(self, samples):
        if self.at is not None and self.at in samples:
            raise ValueError("the collate_fn fails")
        self.board.set(COLLATED, samples[0] % ROW, getpid())
        return list(samples)


class Init:
    """A worker_init_fn that notes its process, and how many samples it has read before."""

    def __init__(self, board, error=None):
        self.board, self.error = board, error

    def __call__(self, worker):
        if self.error is not None:
            raise ValueError(self.error)
        own = getpid()
        self.board.set(EARLY, worker, self.board.row(PID).count(own))
        self.board.set(INIT, worker, own if not self.board.get(INIT, worker) else -1)


class DrawingInit:
    """A worker_init_fn that draws as samples do, and notes it."""

    def __init__(self, board):
        self.board = board

    def __call__(self, worker):
        for number, drawn in enumerate(draw()):
            self.board.set(INIT, 3 * worker + number, int(drawn * 2**52))


def draw():
    """Draw a number by each of the three global generators."""
    return [torch.rand((), dtype=torch.float64).item(), random.random(), np.random.random()]


def bundle(samples):
    return ["bundle" if type(samples) is list else type(samples).__name__, *samples]


def wait_until(is_true, seconds):
    deadline = monotonic() + seconds
    while not is_true() and monotonic() < deadline:
        sleep(LOOK_S)


def wait_until_quiet(board):
    """Return how many samples have been begun when for a while no other one is."""
    begun, num_quiet, deadline = sum(board.row(STARTED)), 0, monotonic() + GATE_S
    while num_quiet < QUIET_S / LOOK_S and monotonic() < deadline:
        sleep(LOOK_S)
        now = sum(board.row(STARTED))
        num_quiet = num_quiet + 1 if now == begun else 0
        begun = now
    return begun


def global_states():
    state = np.random.get_state()
    return (random.getstate(), state[1].tobytes(), state[2:], bytes(torch.get_rng_state().tolist()))


def scramble(seed):
    random.seed(seed)
    np.random.seed(seed % 2**32)
    torch.manual_seed(seed)


def described(value):
    if isinstance(value, torch.Tensor):
        return ["tensor", str(value.dtype).removeprefix("torch."), value.tolist()]
    if isinstance(value, dict):
        return {str(key): described(item) for key, item in value.items()}
    return [described(item) for item in value] if isinstance(value, (list, tuple)) else value


def pull(stream):
    """Return the next batch, or the exception in its place, and how long it took."""
    begun = monotonic()
    try:
        return next(stream), None, monotonic() - begun
    except StopIteration as end:
        return None, end, monotonic() - begun
    except Exception as error:  # noqa: BLE001
        return None, error, monotonic() - begun


def settled(tools, name, **options):
    gc.collect()
    return tools.rank.settle(name, as_in="before", within_s=BOUND_S, **options)


def value(submission, data, tools):
    """Return the batches of many loaders, and their lengths."""
    board, found, kept = Board(), [], True
    for size, batch_size, drop_last, workers, kind in data["runs"]:
        dataset = (Nested if kind == "nested" else Items)(board, size, data["base"])
        options = {} if kind == "nested" else {"collate_fn": bundle}
        before = global_states()
        loader = submission.MiniDataLoader(
            dataset, batch_size, num_workers=workers, drop_last=drop_last, **options
        )
        batches = [described(batch) for batch in loader]
        kept = kept and before == global_states()
        found.append([len(loader), batches])
    return {"runs": found, "kept": kept}


def defaults(submission, data, tools):
    """Return the batches where arguments are left out, and where all that matter are given."""
    items, kind = Items(Board(), data["size"], data["base"]), submission.MiniDataLoader
    loaders = [
        kind(items),
        kind(items, 2),
        kind(items, 2, shuffle=True),
        kind(items, 2, shuffle=True, seed=0, num_workers=0, drop_last=False, collate_fn=None),
    ]
    return {"batches": [[described(batch) for batch in loader] for loader in loaders]}


def order(submission, data, tools):
    """Return the batches where some samples wait for later ones."""
    board = Board()
    dataset = Slow(board, data["size"], gates=data["gates"])
    loader = submission.MiniDataLoader(
        dataset, data["batch_size"], num_workers=data["workers"], collate_fn=list
    )
    return {"batches": [list(batch) for batch in loader]}


def shuffle(submission, data, tools):
    """Return one order for each key and each number of workers, each of them twice."""
    board, found, kept = Board(), [], True
    for workers in data["workers"]:
        orders = []
        for seed, epochs in data["keys"]:
            loader = submission.MiniDataLoader(
                Items(board, data["size"]),
                4,
                shuffle=True,
                num_workers=workers,
                collate_fn=list,
                seed=seed,
            )
            for number, epoch in enumerate(epochs):
                if epoch is not None:
                    loader.set_epoch(epoch)
                scramble(number + 1)
                before = global_states()
                orders.append([index for batch in loader for index in batch])
                kept = kept and before == global_states()
        found.append(orders)
    return {"orders": found, "kept": kept}


def new_epoch(submission, data, tools):
    """Return a pass, one that gets a new epoch after its first batch, and one of that epoch."""
    board, found = Board(), []
    for workers in data["workers"]:
        loader = submission.MiniDataLoader(
            Marked(board, data["size"]),
            2,
            shuffle=True,
            num_workers=workers,
            collate_fn=list,
            seed=data["seed"],
        )
        whole = [sample for batch in loader for sample in batch]
        stream = iter(loader)
        living = list(next(stream))
        loader.set_epoch(1)
        living += [sample for batch in stream for sample in batch]
        found.append([whole, living, [sample for batch in loader for sample in batch]])
    return {"passes": found}


def process(submission, data, tools):
    """Return which processes read samples, made batches and were initialised."""
    board, workers = Board(), data["workers"]
    TOUCHED.clear()
    loader = submission.MiniDataLoader(
        Meeting(board, data["size"]),
        2,
        num_workers=workers,
        collate_fn=Collate(board),
        worker_init_fn=Init(board),
    )
    stream = iter(loader)
    batches = [list(next(stream))]
    tools.rank.count("during")
    # Where workers share their tasks, one without a task may not have come to worker_init_fn yet.
    wait_until(lambda: board.row(INIT)[:workers].count(0) in (0, workers), DEATH_S)
    batches += [list(batch) for batch in stream]
    readers, makers = set(board.row(PID)) - {0}, set(board.row(COLLATED)) - {0}
    called = board.row(INIT)
    return {
        "batches": batches,
        "in_parent": PARENT in readers or bool(TOUCHED),
        "collated_in_parent": PARENT in makers,
        "num_readers": len(readers),
        "num_makers": len(makers - readers),
        "init": sum(pid > 0 for pid in called[:workers])
        - sum(pid != 0 for pid in called[workers:]),
        "init_in_parent": PARENT in called,
        "init_late": sum(board.row(EARLY)),
    }


def random_numbers(submission, data, tools):
    """Return what the samples of several passes and their workers draw, in different timings."""
    found, begun, kept = [], [], True
    for number, (seed, epoch, workers, gates) in enumerate(data["passes"]):
        board = Board(f"draws {number}")
        loader = submission.MiniDataLoader(
            Drawing(board, data["size"], gates=gates),
            2,
            num_workers=workers,
            collate_fn=list,
            seed=seed,
            worker_init_fn=DrawingInit(board),
        )
        loader.set_epoch(epoch)
        scramble(number)
        before = global_states()
        found.append([draws for batch in loader for draws in batch])
        kept = kept and before == global_states()
        # Where nothing waits, a worker may come too late to begin.
        begun += [board.row(INIT)[: 3 * workers]] if gates else []
    return {"draws": found, "begun": begun, "kept": kept}


def pressure(submission, data, tools):
    """Return how many batches had been started while the consumer waits or is waited for."""
    board, workers, depth = Board(), data["workers"], data["depth"]
    answer = {"started": [], "ahead": False, "slow": []}
    tools.rank.last_words(answer, within_s=2 * BOUND_S)
    options = {"num_workers": workers, "prefetch_factor": depth, "collate_fn": list}
    stream = iter(submission.MiniDataLoader(Items(board, 60), 1, **options))
    for given in range(1, 6):
        next(stream)
        if given == 1:
            wait_until(lambda: sum(board.row(DONE)) >= 2, DEATH_S)
            answer["ahead"] = sum(board.row(DONE)) >= 2
            wait_until_quiet(board)
        answer["started"].append(sum(board.row(STARTED)))
    del stream
    gc.collect()
    if workers > 2:
        # The first sample waits for the second: results must not pile up behind it. Where each
        # result brings a task, the workers that are left feed one another; one alone runs dry.
        dataset = Slow(Board("slow"), 60, gates={"0": 1})
        next(iter(submission.MiniDataLoader(dataset, 1, **options)))
        answer["slow"] = [dataset.board.get(SEEN, 0)]
    tools.rank.last_words(None)
    return answer


def in_turn(nothing, one, submission, data, tools):
    """Return what each pass gave; the first that waits for ever is the last."""
    answer = {
        f"{number}:{key}": value
        for number in range(len(data["runs"]))
        for key, value in nothing.items()
    }
    for number, run in enumerate(data["runs"]):

        def give(key, value, number=number):
            answer[f"{number}:{key}"] = value

        one(submission, run, tools, give, answer)
    tools.rank.last_words(None)
    return answer


def error(submission, run, tools, give, answer):
    """Give the batches before an exception, what came in its place, and what after it."""
    tools.rank.last_words(answer, within_s=DEATH_S)
    board, batches = Board(), []
    where, word, at = run["where"], run["word"], run["at"]
    options = {"collate_fn": Collate(board, at if where == "collate" else None)}
    if where == "init":
        options["worker_init_fn"] = Init(board, word)
    dataset = Failing(
        board,
        run["size"],
        at=at if where == "sample" else -1,
        kind=run["kind"],
        word=word,
        after=run["after"],
    )
    loader = submission.MiniDataLoader(dataset, 2, num_workers=run["workers"], **options)
    stream = iter(loader)
    while True:
        batch, came, _ = pull(stream)
        if came is not None:
            break
        batches.append(list(batch))
    told = "".join(traceback.format_exception(came))
    words = {"collate": "the collate_fn fails"}.get(where, word)
    give("batches", batches)
    give("came", [each.__name__ for each in type(came).__mro__])
    give("text", [each in told for each in (words, *run["names"])])
    give("then", type(pull(stream)[1]).__name__)


def direct_error(submission, data, tools):
    """Return whether an exception arrives as it is where there are no workers."""
    first, changed = [], []
    for kind, at in ((kind, at) for kind in ERRORS for at in (0, 3)):
        raised = ERRORS[kind]("as it is")

        class Raising(Items):
            def act(self, index, at=at, raised=raised):
                if index == at:
                    raise raised

        stream = iter(submission.MiniDataLoader(Raising(Board(), 6), 2, collate_fn=list))
        if at:
            first.append(pull(stream)[0])
        if pull(stream)[1] is not raised:
            changed.append([kind, at])
    return {"first": first, "changed": changed}


def crash(submission, run, tools, give, answer):
    """Give the batches before the death of a worker, what came then, and what is left."""
    tools.rank.last_words(answer, within_s=DEATH_S)
    board, how, batches = Board(), run["how"], []
    dataset = Failing(board, 40, at=run["at"] if how in DEATHS else -1, kind=how, word="")
    loader = submission.MiniDataLoader(
        dataset, 1, num_workers=run["workers"], collate_fn=list, worker_init_fn=Init(board)
    )
    tools.rank.count("before")
    stream = iter(loader)
    while True:
        batch, came, _ = pull(stream)
        if came is not None:
            break
        batches.append(list(batch))
        if how == "idle" and len(batches) == 1:
            wait_until_quiet(board)
            kill(board.get(PID, 0), signal.SIGKILL)
    give("batches", batches)
    give("came", [each.__name__ for each in type(came).__mro__])
    tools.rank.last_words(answer, within_s=2 * BOUND_S)
    del came, stream, batch
    give("clean", settled(tools, "after"))


def timeout(submission, data, tools):
    """Return what came where a batch takes too long, or where only the pass does.

    A batch that takes as long as the limit because the machine is busy is no fault: then the limit
    is doubled.
    """
    board, limit = Board(), data["timeout"]
    tools.rank.count("before")
    while True:
        answer = {"batches": [], "came": "nothing", "clean": False}
        tools.rank.last_words(answer, within_s=BOUND_S + limit)
        dataset = Paced(board, len(data["seconds"]), seconds=data["seconds"])
        loader = submission.MiniDataLoader(
            dataset, 1, num_workers=data["workers"], collate_fn=list, timeout=limit
        )
        stream = iter(loader)
        while True:
            batch, came, waited = pull(stream)
            if came is not None:
                break
            answer["batches"].append(list(batch))
            sleep(data["pause"])
        answer["came"] = [each.__name__ for each in type(came).__mro__]
        is_end = len(answer["batches"]) == data["good"] or isinstance(came, StopIteration)
        del came, stream, batch
        gc.collect()
        if is_end or waited < limit or limit > 5.0:
            break
        limit *= 2
    tools.rank.last_words(answer, within_s=2 * BOUND_S)
    answer["clean"] = settled(tools, "after")
    tools.rank.last_words(None)
    return answer


def leave(loader):
    """Leave a pass after its first batch, of which nothing is kept."""
    for _ in loader:
        break


def fail(loader):
    """Read until an exception, of which nothing is kept."""
    try:
        for _ in loader:
            pass
    except ValueError:
        return


def leak(submission, data, tools):
    """Return after which step something was left, if anything was."""
    board = Board()

    def make(workers, **does):
        return submission.MiniDataLoader(Large(board, data["size"], **does), 1, num_workers=workers)

    loader, two, slow, failing = make(1), make(2), make(2, seconds=0.2), make(2, fails=True)
    tools.rank.count("before")
    sums = []

    def passes(number, loader):
        for _ in range(number):
            sums.append(sum(int(batch[0, 0]) for batch in loader))

    steps = [
        ("warm", lambda: (passes(1, two), passes(1, loader))),
        ("passes", lambda: passes(8, loader)),
        ("break", lambda: leave(two)),
        ("breaks", lambda: (leave(slow), *map(leave, [loader] * 3))),
        ("exception", lambda: fail(failing)),
        ("unused", lambda: iter(two)),
    ]
    for name, step in steps:
        step()
        if not settled(tools, name, open_as_in=None if name == "warm" else "warm"):
            return {"left": name, "sums": sums}
    return {"left": "nothing", "sums": sums}


def orphan(submission, data, tools):
    """Be killed in the middle of a pass."""
    board = Board()
    loader = submission.MiniDataLoader(
        Items(board, 60), 1, num_workers=data["workers"], collate_fn=list
    )
    stream = iter(loader)
    first = list(next(stream))
    wait_until(lambda: sum(board.row(DONE)) >= 1 + data["workers"], PAUSE_S)
    tools.rank.leave_orphans("orphans", {"first": first}, within_s=BOUND_S)


def concurrent(submission, data, tools):
    """Return two passes in turn, and one inside another."""
    board = Board()
    loader = submission.MiniDataLoader(
        Items(board, 12), 2, shuffle=True, num_workers=2, collate_fn=list, seed=data["seed"]
    )
    pairs = [[list(one), list(other)] for one, other in zip_longest(loader, loader, fillvalue=())]
    outer = iter(loader)
    mixed = [list(next(outer))]
    inner = [list(batch) for batch in loader]
    mixed += [list(batch) for batch in outer]
    passes = [[one for one, _ in pairs], [other for _, other in pairs], inner, mixed]
    return {"passes": passes}


def refused(submission, data, tools):
    """Return what each bad argument raises."""
    board, found = Board(), {}
    bad = {"batch_size": 0, "num_workers": -1, "prefetch_factor": 0, "timeout": -0.5}
    for name, number in bad.items():
        # Also where there are no workers, and the number means nothing.
        for workers in (0, 1):
            key = f"{name}, {workers} workers"
            found[key] = "nothing"
            try:
                submission.MiniDataLoader(Items(board, 3), **{"num_workers": workers, name: number})
            except Exception as error:  # noqa: BLE001
                is_value = isinstance(error, ValueError)
                found[key] = "ValueError" if is_value else type(error).__name__
    return {"refused": found}


NO_ERROR = {"batches": [], "came": "nothing", "text": [], "then": "nothing"}
NO_CRASH = {"batches": [], "came": "nothing", "clean": False}
OPERATIONS = {
    "value": value,
    "defaults": defaults,
    "order": order,
    "shuffle": shuffle,
    "new_epoch": new_epoch,
    "process": process,
    "random": random_numbers,
    "pressure": pressure,
    "error": partial(in_turn, NO_ERROR, error),
    "direct_error": direct_error,
    "crash": partial(in_turn, NO_CRASH, crash),
    "timeout": timeout,
    "leak": leak,
    "orphan": orphan,
    "concurrent": concurrent,
    "refused": refused,
}


def probe(submission, op, data, tools):
    """Answer one request."""
    return OPERATIONS[op](submission, data, tools)


# Datasets and exceptions are pickled by the name of their module.
module = sys.modules[__name__] = ModuleType(__name__)
vars(module).update(globals())
