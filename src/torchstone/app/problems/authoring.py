"""Authoring of problems: prove, scaffold, expand and export."""

import os
from collections.abc import Callable, Sequence
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

import msgspec

from torchstone.app.home import Home
from torchstone.app.judging.source import read_source
from torchstone.bank import Problem
from torchstone.bank.export import Exported, export_bank
from torchstone.bank.loader import load_bank, load_problem
from torchstone.bank.proof_record import hash_folder, is_recorded, write_record
from torchstone.bank.scaffold import MARKS, scaffold_problem, unwritten_files
from torchstone.bank.variant import Shelf
from torchstone.core import paths
from torchstone.core.errors import BadInput, BrokenProblem, JudgeUnavailable
from torchstone.core.i18n import both
from torchstone.core.patch import BadPatch, expand
from torchstone.judge.messages import words_of
from torchstone.judge.native.build import NativeBuildError
from torchstone.judge.pool.worker_pool import WorkerPool
from torchstone.judge.proof.cache import ProofCache
from torchstone.judge.proof.entry import Counts, Proof, ProofEntry, entry_of, sum_of
from torchstone.judge.proof.objections import object_to_shortages
from torchstone.judge.proof.prover import FAST, Prover, Thoroughness
from torchstone.judge.proof.record import record_of

JsonObject = dict[str, Any]
# The problem, the number of finished trials, and the number of all trials.
OnProgress = Callable[[str, int, int], None]
OnProof = Callable[[ProofEntry], None]


@dataclass(frozen=True, slots=True, kw_only=True)
class BankProof:
    """The result of proving problems.

    Args:
        problems: An entry for each loaded problem.
        sum: The counts over all problems.
        broken: The folders that could not be loaded.
    """

    problems: tuple[ProofEntry, ...]
    sum: Counts
    broken: tuple[JsonObject, ...]

    @property
    def holds(self) -> bool:
        """Return whether nothing was found."""
        return not self.broken and all(entry.holds for entry in self.problems)

    @property
    def num_cached(self) -> int:
        """Count the proofs that were taken from the cache."""
        return sum(entry.cached for entry in self.problems)


def thoroughness(
    *, fast: bool, seeds: int | None, mutants: int | None, good_seeds: int | None = None
) -> Thoroughness:
    """Return the number of trials; explicit options override ``fast``."""
    base = FAST if fast else Thoroughness()
    more = good_seeds if good_seeds is not None else seeds
    return replace(
        base,
        good_seeds=base.good_seeds if more is None else more,
        other_seeds=base.other_seeds if seeds is None else seeds,
        mutants=base.mutants if mutants is None else mutants,
    )


def check(
    home: Home,
    names: Sequence[str],
    how: Thoroughness,
    *,
    on_progress: OnProgress,
    on_proof: OnProof,
    use_cache: bool = True,
    record: bool = False,
    only_changed: bool = False,
) -> BankProof:
    """Prove problems, by default all, with a separate worker pool.

    A folder that cannot be loaded is a finding; the other problems are still proven. A problem with
    a proof in the cache is not judged. With ``CI=true`` no proof is taken from the cache.

    Args:
        home: The learner's home, with the bank.
        names: Numbers or names of problems.
        how: The number of trials.
        on_progress: Called after every trial.
        on_proof: Called with the entry of every finished problem.
        use_cache: Whether proofs of earlier runs count.
        record: Whether to write each proof that holds into the problem's folder.
        only_changed: Whether to leave out the problems that are as their records say.

    Raises:
        NotFound: A name is not a problem.
        JudgeUnavailable: The judge cannot start on this machine.
    """
    chosen, broken = _choose(home, names)
    if only_changed:
        chosen = [problem for problem in chosen if not is_recorded(problem.path)]
    entries: list[ProofEntry] = []
    write = _recorder(chosen, how)

    def note(entry: ProofEntry) -> None:
        if record and entry.holds:
            write(entry)
        entries.append(entry)
        on_proof(entry)

    unwritten = [problem for problem in chosen if unwritten_files(problem.path)]
    for problem in unwritten:
        note(entry_of(_refuse_unwritten(problem)))
    written = [problem for problem in chosen if problem not in unwritten]
    cache = open_proof_cache(how, use_cache=use_cache)
    try:
        _prove_unless_cached(home, written, cache, on_progress, note)
    except NativeBuildError as error:
        raise JudgeUnavailable("judge.native_failed", reason=str(error)) from error
    places = {problem.id: place for place, problem in enumerate(chosen)}
    entries.sort(key=lambda entry: places[entry.id])
    return BankProof(
        problems=tuple(entries),
        sum=sum_of(entries),
        broken=tuple({lang: error.shape(lang) for lang in ("en", "zh")} for error in broken),
    )


def _recorder(problems: Sequence[Problem], how: Thoroughness) -> OnProof:
    """Return a function that stores a proof in the problem's folder, unless that has changed."""
    before = {problem.id: (problem, hash_folder(problem.path)) for problem in problems}

    def write(entry: ProofEntry) -> None:
        problem, digest = before[entry.id]
        if hash_folder(problem.path) == digest:
            write_record(problem.path, record_of(problem, entry, digest, how))

    return write


def open_proof_cache(how: Thoroughness, *, use_cache: bool = True) -> ProofCache:
    """Return the cache of proofs with this number of trials."""
    cache = paths.cache_dir()
    reads = use_cache and os.environ.get("CI") != "true"
    return ProofCache(folder=cache / "proofs", cache=cache, how=how, reads=reads)


def _prove_unless_cached(
    home: Home,
    problems: Sequence[Problem],
    cache: ProofCache,
    on_progress: OnProgress,
    on_entry: OnProof,
) -> None:
    """Prove the problems whose proofs are not in the cache."""
    changed: list[Problem] = []
    for problem in problems:
        entry = cache.get(cache.key(problem))
        if entry is None:
            changed.append(problem)
        else:
            on_entry(msgspec.structs.replace(entry, cached=True))
    if changed:
        _prove(home, changed, cache, on_progress, on_entry)


def _prove(
    home: Home,
    problems: Sequence[Problem],
    cache: ProofCache,
    on_progress: OnProgress,
    on_entry: OnProof,
) -> None:
    """Prove problems, and store the complete proofs."""
    capacity = home.settings.workers or max(1, min(4, os.cpu_count() or 1))
    worker_pool = WorkerPool(
        bank_root=home.bank_root,
        cache=paths.cache_dir(),
        capacity=capacity,
        num_kept_builds=2 * capacity,
    )
    with worker_pool.running():
        prover = Prover(worker_pool, cache.how, on_progress)
        for problem in problems:
            key = cache.key(problem)
            # Read after its key: if a file is saved in between, the key below differs.
            entry = entry_of(prover.prove(load_problem(problem.path)))
            if cache.key(problem) == key:
                cache.put(key, entry)
            on_entry(entry)


def begin_problem(home: Home, number: str, slug: str, *, title_en: str, title_zh: str) -> Path:
    """Create the folder of a new problem; ``check`` then lists what is missing."""
    return scaffold_problem(home.bank_root, number, slug, title_en=title_en, title_zh=title_zh)


def expand_file(path: Path) -> str:
    """Return the whole text of a program; a patch is expanded.

    Raises:
        BadInput: The file or its base cannot be read, or the patch does not fit.
    """
    whole = path.resolve()
    on_shelf = whole.parent.name in set(Shelf)
    folder = whole.parent.parent if on_shelf else whole.parent
    name = whole.relative_to(folder).as_posix()
    try:
        return expand(read_source(path), name, lambda base: read_source(folder / base))
    except BadPatch as error:
        raise BadInput("app.patch_unusable", path=path, reason=error) from error


def export(home: Home, folder: Path) -> Exported:
    """Write the whole bank as a separate repository."""
    return export_bank(home.bank, folder)


def _refuse_unwritten(problem: Problem) -> Proof:
    """Return an objection to every unwritten file, because judging them would prove nothing."""
    proof = Proof(problem=problem.id)
    for file in unwritten_files(problem.path):
        proof.object("unwritten", file, words_of(both("judge.objection.unwritten", mark=MARKS[0])))
    object_to_shortages(problem, proof)
    return proof


def _choose(home: Home, names: Sequence[str]) -> tuple[list[Problem], list[BrokenProblem]]:
    bank = load_bank(home.bank_root)
    if not names:
        return list(bank.judged), list(bank.broken)
    chosen: dict[str, Problem] = {}
    broken: list[BrokenProblem] = []
    for name in names:
        try:
            problem = bank.find(name)
            chosen[problem.id] = problem
        except BrokenProblem as error:
            broken.append(error)
    return list(chosen.values()), broken
