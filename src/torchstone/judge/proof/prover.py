"""Proof of a problem: run every program that must be accepted or refused.

The proof of a problem checks that it has enough programs (``bank.least``); good answers pass under
fresh seeds; the starter fails cleanly; wrong variants and cheats get the verdict that their header
states, wrong ones in the stated group; synthetic answers and the truth in lower precision are
refused; the oracle agrees with torch's own operator; the editorial's cells run; both languages say
the same; mutants are refused; judging stays within its time budget.
"""

from __future__ import annotations

import secrets
import statistics
from collections.abc import Callable, Iterable, Iterator
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from functools import partial
from operator import methodcaller
from queue import SimpleQueue
from typing import TypeVar

from torchstone.bank.groups import declared_groups
from torchstone.bank.markdown import python_cells
from torchstone.bank.parity import check_parity
from torchstone.bank.problem import Problem
from torchstone.bank.schema import Kind
from torchstone.bank.sentences import check_sentences
from torchstone.bank.variant import Shelf, Variant
from torchstone.core.verdict import ExitCode, Verdict
from torchstone.judge.assignment import assignment_of
from torchstone.judge.kinds import KINDS
from torchstone.judge.messages import Words
from torchstone.judge.mutation.mutants import Mutant, Sight, make_mutants, no_tensors
from torchstone.judge.mutation.watching import SEEDS, watch_in_ranks
from torchstone.judge.order import JudgeFault, Order
from torchstone.judge.pool.reference_process import ReferenceProcess
from torchstone.judge.pool.worker_pool import WorkerPool
from torchstone.judge.proof.drawn_figures import comparison_cell
from torchstone.judge.proof.entry import Proof, Survivor
from torchstone.judge.proof.evidence import (
    disagreement,
    failing_case,
    nearest_case,
    outcome_of,
    words_of_disagreement,
)
from torchstone.judge.proof.judged_program import JudgedProgram, reason_of
from torchstone.judge.proof.objections import object_to_copies, object_to_shortages, say, unsaid
from torchstone.judge.proof.survivors import changed_line, explanations, rule_words
from torchstone.judge.replies import Battery

# Maximum number of repeated measurements of a time beyond the budget.
MOST_TIMINGS = 4
WANTED_MARGIN = 3.0


@dataclass(frozen=True, slots=True, kw_only=True)
class Thoroughness:
    """Number of seeds and mutants that a proof tries.

    Attributes:
        good_seeds: Fresh seeds for every good answer.
        other_seeds: Fresh seeds for every wrong variant and cheat.
        mutants: Maximum number of mutants of every good answer.
        are_all_groups_judged: Whether a wrong variant is also judged in groups after the one in
            which it must fail. They change the verdict only if it uses a banned function there.
    """

    good_seeds: int = 5
    other_seeds: int = 5
    mutants: int = 24
    are_all_groups_judged: bool = True


FAST = Thoroughness(good_seeds=1, other_seeds=1, mutants=0, are_all_groups_judged=False)

T = TypeVar("T")

Progress = Callable[[str, int, int], None]
Trial = Callable[[], None]


class Prover:
    """Prover of problems with the zygotes of one worker pool, one job per slot at a time.

    ``draw_seed`` returns the seed of each trial of a program.
    """

    def __init__(
        self,
        worker_pool: WorkerPool,
        how: Thoroughness,
        progress: Progress | None = None,
        *,
        draw_seed: Callable[[str], int] = lambda source: secrets.randbits(62),
    ) -> None:
        self._worker_pool = worker_pool
        self._how = how
        self._progress = progress or (lambda problem, done, total: None)
        self._draw_seed = draw_seed
        self._slots: SimpleQueue[int] = SimpleQueue()
        for slot in range(worker_pool.capacity):
            self._slots.put(slot)

    def prove(self, problem: Problem) -> Proof:
        """Prove one problem."""
        proof = Proof(problem=problem.id)
        object_to_shortages(problem, proof)
        object_to_copies(problem, proof)
        self._step(proof, partial(self._prove_texts, problem, proof))
        self._step(proof, partial(self._prove_truth, problem, proof))
        # The build of the solution is still cached.
        self._step(proof, partial(self._judge_time, problem, proof))
        # The trials of one program run in sequence, so that it is built once for all seeds.
        tasks: list[list[Trial]] = []
        for variant in (problem.solution, *problem.good):
            tasks.append([partial(self._try_good, problem, variant, proof)] * self._how.good_seeds)
        for variant in (*problem.wrong, *problem.cheats):
            proof.kills[f"{variant.shelf}/{variant.name}"] = []
            tasks.append([partial(self._try_bad, problem, variant, proof)] * self._how.other_seeds)
        tasks.append([partial(self._try_starter, problem, proof)])
        if self._how.mutants and not problem.spec.is_built:
            self._step(
                proof,
                lambda: tasks.extend([task] for task in self._mutant_tasks(problem, proof)),
            )
        self._run(proof, tasks)
        return proof

    def _step(self, proof: Proof, step: Callable[[], None]) -> None:
        """Run one step; a fault of the judge becomes an objection."""
        try:
            step()
        except JudgeFault as fault:
            proof.object("judge_fault", "", unsaid(str(fault)))

    def _run(self, proof: Proof, tasks: list[list[Trial]]) -> None:
        """Run all trials: tasks in parallel, one per slot, and the trials of a task in order."""
        total, done = sum(map(len, tasks)), 0
        with ThreadPoolExecutor(self._worker_pool.capacity) as threads:
            for future in [threads.submit(_faults_of, task) for task in tasks]:
                for fault in future.result():
                    done += 1
                    if fault is not None:
                        proof.object("judge_fault", "", unsaid(str(fault)))
                    self._progress(proof.problem, done, total)

    def _judge(
        self,
        problem: Problem,
        source: str,
        *,
        groups: tuple[str, ...] | None = None,
        first_only: bool = False,
        again: int | None = None,
    ) -> JudgedProgram:
        """Judge a program under a fresh seed, or under a known one to explain the verdict."""
        seed = self._draw_seed(source) if again is None else again
        order = Order(
            assignment=assignment_of(problem),
            source=source,
            seed=seed,
            groups=groups,
            explain=again is not None,
            first_only=first_only,
        )
        slot = self._slots.get()
        try:
            return JudgedProgram(
                report=self._worker_pool.judge(order, lambda event: None, slot=slot), seed=seed
            )
        finally:
            self._slots.put(slot)

    def _try_good(self, problem: Problem, variant: Variant, proof: Proof) -> None:
        trial = self._judge(problem, variant.source)
        if trial.report.verdict is not Verdict.AC:
            self._object(problem, variant, trial, proof, "good_refused", reason_of(trial))

    def _try_bad(self, problem: Problem, variant: Variant, proof: Proof) -> None:
        trial = self._judge(problem, variant.source, groups=self._groups_until(problem, variant))
        if trial.report.verdict is Verdict.AC:
            trial = self._judge(problem, variant.source)
        got, aspect, group = trial.report.verdict, trial.report.aspect, trial.report.group
        is_cheat = variant.shelf is Shelf.CHEATS
        proof.kills[f"{variant.shelf}/{variant.name}"].append(outcome_of(trial.report))
        if got is Verdict.AC:
            kind = "cheats_accepted" if is_cheat else "wrong_accepted"
            self._object(problem, variant, trial, proof, kind, reason_of(trial))
        elif not variant.accepts(got, aspect) or variant.group not in (None, group):
            wanted = " | ".join(map(str, variant.outcomes))
            where = "wanted_in" if variant.group else "wanted"
            kind = "cheats_for_other_reason" if is_cheat else "wrong_for_other_reason"
            detail = say(where, outcome=wanted, group=variant.group, reason=reason_of(trial))
            self._object(problem, variant, trial, proof, kind, detail)

    def _groups_until(self, problem: Problem, variant: Variant) -> tuple[str, ...] | None:
        """Return the groups up to the one in which a variant must fail; None for all groups."""
        groups = declared_groups(problem)
        if self._how.are_all_groups_judged or variant.group not in groups:
            return None
        return groups[: groups.index(variant.group) + 1]

    def _object(
        self,
        problem: Problem,
        variant: Variant,
        trial: JudgedProgram,
        proof: Proof,
        kind: str,
        detail: Words,
    ) -> None:
        """Object to a verdict; the first objection of a kind includes its evidence."""
        known = {(each.kind, each.name) for each in proof.objections}
        evidence = None
        if (kind, variant.name) not in known and trial.report.verdict is Verdict.AC:
            evidence = nearest_case(trial.report, variant.group)
        elif (kind, variant.name) not in known:
            again = self._judge(problem, variant.source, again=trial.seed).report
            evidence = failing_case(again.smallest) if again.smallest else None
        if evidence is not None:
            more = evidence.words
            detail = Words(en=f"{detail.en}\n{more.en}", zh=f"{detail.zh}\n{more.zh}")
        proof.object(kind, variant.name, detail, evidence)

    def _try_starter(self, problem: Problem, proof: Proof) -> None:
        trial = self._judge(problem, problem.starter)
        verdict = trial.report.verdict
        # A starter must load, and fail in a case.
        if verdict is Verdict.CE or verdict.exit_code is not ExitCode.NOT_ACCEPTED:
            proof.object("starter", "starter.py", say("starter", reason=reason_of(trial)))

    def _mutant_tasks(self, problem: Problem, proof: Proof) -> Iterator[Callable[[], None]]:
        explained = explanations(problem)
        stale = set(explained)
        for variant in (problem.solution, *problem.good):
            sights = self._observe(problem, variant)
            mutants = make_mutants(variant.source, sights=sights)
            stale -= {mutant.key for mutant in mutants}
            for mutant in mutants[: self._how.mutants]:
                yield partial(self._try_mutant, problem, variant, mutant, explained, proof)
        for key in sorted(stale):
            proof.object("text_errors", "survivors.toml", say("stale", key=key))

    def _observe(self, problem: Problem, variant: Variant) -> dict[int, Sight]:
        """Return facts about the results of a correct program's statements."""
        if not problem.spec.has_own_processes:
            return self._on_bench(problem, methodcaller("observe", variant.source))
        if problem.spec.entry.kind is Kind.LOADER:
            # Its results are samples, passed on unchanged, in workers from which no mark is sent.
            return no_tensors(variant.source)
        sights: dict[int, Sight] = {}

        def join(reference: ReferenceProcess) -> None:
            for number, sight in reference.observe(None).items():
                sights[number] = sights.get(number, Sight()) | sight

        source = watch_in_ranks(variant.source)
        for seed in SEEDS:
            order = Order(
                assignment=assignment_of(problem), source=source, seed=seed, explain=False
            )
            self._worker_pool.judge(order, lambda event: None, then=join)
        return sights

    def _try_mutant(
        self,
        problem: Problem,
        parent: Variant,
        mutant: Mutant,
        explained: dict[str, Words],
        proof: Proof,
    ) -> None:
        trial = self._judge(problem, mutant.source, first_only=True)
        proof.counts["rule_mutants"] += 1
        if trial.report.verdict is not Verdict.AC:
            return
        proof.counts["rule_mutants_accepted"] += 1
        file = parent.path.relative_to(problem.path).as_posix()
        change = changed_line(parent.source, mutant.source)
        survivor = Survivor(
            file=file,
            line=mutant.line,
            rule=mutant.rule,
            key=mutant.key,
            before=change.before,
            after=change.after,
            why=explained.get(mutant.key),
            source=mutant.source,
        )
        proof.survivors.append(survivor)
        if survivor.why is None:
            place = {
                "file": file,
                "line": mutant.line,
                "key": mutant.key,
                "before": change.before,
                "after": change.after,
            }
            detail = say("unexplained", rule=rule_words(mutant.rule), **place)
            proof.object("rule_mutants_unexplained", parent.name, detail)

    def _prove_texts(self, problem: Problem, proof: Proof) -> None:
        for mismatch in (*check_parity(problem), *check_sentences(problem)):
            said = Words(en=mismatch.said_in("en"), zh=mismatch.said_in("zh"))
            proof.object("text_errors", mismatch.file, said)
        cells = [cell.source for cell in python_cells(problem.editorial.en)]
        cells += filter(None, [comparison_cell(cells, problem.path)])
        wrong = (
            self._on_bench(problem, lambda reference: reference.run_cells(cells)) if cells else ""
        )
        if wrong:
            proof.object("text_errors", "editorial", unsaid(wrong))

    def _prove_truth(self, problem: Problem, proof: Proof) -> None:
        seed = self._draw_seed(problem.solution.source)
        found = self._ask_battery(problem, seed)
        for kind in ("null_accepted", "lowprec_accepted"):
            for name in getattr(found, kind):
                proof.object(kind, name, say(kind, seed=seed))
        for each in found.parity_errors:
            detail = words_of_disagreement(each, seed)
            proof.object("parity_errors", each.output, detail, disagreement(each))
        proof.good_ratio, proof.lowprec_ratio = found.good_ratio, found.lowprec_ratio
        # If the bound is a theorem, the problem states how close a correct answer may come.
        wanted = float(problem.spec.tolerance.get("margin", WANTED_MARGIN))
        margin = wanted * proof.good_ratio if proof.good_ratio else 0.0
        if margin > 1:
            proof.object("margin", "solution.py", say("margin", ratio=f"{proof.good_ratio:.2f}"))

    def _ask_battery(self, problem: Problem, seed: int) -> Battery:
        if not problem.spec.has_own_processes:
            return self._on_bench(problem, lambda reference: reference.battery(seed))
        # Compiled programs run where submissions do; the reference starts from their answers.
        found: list[Battery] = []
        source = problem.solution.source
        order = Order(assignment=assignment_of(problem), source=source, seed=seed, explain=False)

        def ask(reference: ReferenceProcess) -> None:
            found.append(reference.battery(seed, judged=True))

        self._worker_pool.judge(order, lambda event: None, then=ask)
        return found[0]

    def _on_bench(self, problem: Problem, ask: Callable[[ReferenceProcess], T]) -> T:
        """Call a function with a reference process of the problem."""
        order = Order(assignment=assignment_of(problem), source="", seed=0)
        with self._worker_pool.reference(order) as reference:
            return ask(reference)

    def _judge_time(self, problem: Problem, proof: Proof) -> None:
        runs = 5 if self._how.good_seeds > 1 else 1
        reports = [self._judge(problem, problem.solution.source).report for _ in range(runs)]
        proof.median_ms = statistics.median(report.time_ms for report in reports)
        cpu_ms = statistics.median(report.cpu_s or 0.0 for report in reports) * 1e3
        budget = KINDS[problem.spec.entry.kind].budget_ms
        # Programs that share its caches can only increase the CPU time, so the minimum counts.
        for _ in range(MOST_TIMINGS if cpu_ms > budget else 0):
            report = self._judge(problem, problem.solution.source).report
            cpu_ms = min(cpu_ms, (report.cpu_s or 0.0) * 1e3)
        if cpu_ms > budget:
            numbers = {"came": f"{cpu_ms:.0f}", "wanted": f"{budget:.0f}"}
            proof.object("budget", "solution.py", say("budget", **numbers))


def _faults_of(trials: Iterable[Trial]) -> list[JudgeFault | None]:
    """Run trials even if an earlier one met a fault of the judge; return the faults."""
    faults: list[JudgeFault | None] = []
    for trial in trials:
        try:
            trial()
            faults.append(None)
        except JudgeFault as fault:
            faults.append(fault)
    return faults
