"""Search for symptoms: test statements on all wrong results, and keep the most informative."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable, Iterator, Sequence

from torchstone.core.i18n import LANGS, text
from torchstone.judge.kit import ProblemCode
from torchstone.judge.kit.expect import Note
from torchstone.judge.reference.symptoms.arguments import argument_labels
from torchstone.judge.reference.symptoms.conditions import find_conditions, find_outputs
from torchstone.judge.reference.symptoms.evidence import (
    Budget,
    Label,
    OutOfTime,
    WrongResult,
    label,
    name_of_key,
    wrong_results,
)
from torchstone.judge.reference.symptoms.places import content_labels, is_unlikely, place_shares
from torchstone.judge.reference.symptoms.plain import find_plain
from torchstone.judge.reference.symptoms.values import value_labels
from torchstone.judge.reference.trials import Trial
from torchstone.judge.replies import SeenSymptom

# CPU seconds of a search; the limits of its steps add up to a little more.
SYMPTOM_CPU_SECONDS = 2.0
MOST_SYMPTOMS = 3
# With more names of results, statements about one name are skipped.
MOST_NAMES = 12
# The most informative first; a statement that follows from another one is left out.
ORDER = (
    *("constant", "input", "input_transposed", "function"),
    *("flag", "argument_is", "switched", "argument_plus", "argument_squared", "argument_root"),
    *("argument_negated", "argument_complement", "mask_inverted", "mask_all", "tensor_clean"),
    *("other_result", "factor_of", "factor"),
    *("transposed", "viewed", "reversed", "shifted", "rows_exchanged"),
    *("times_input", "over_input", "plus_input", "minus_input", "previous", "offset"),
    *("tensor_transposed", "tensor_replaced", "tensor_is", "tensor_times", "tensor_abs"),
    "tensor_first",
    *("proportional_along", "proportional", "reordered"),
    *("sign", "nan", "infinite", "zero", "not_nan", "not_zero", "small_error"),
    *("too_small", "too_large"),
)


class Search:
    """Search for statements about the wrong answers of one job.

    Args:
        code: The problem.
        trials: All judged trials, including right ones, in order.
        deciding: The group that determines the verdict.
        seconds: Limit on the CPU time of the search.
    """

    def __init__(
        self, code: ProblemCode, trials: Sequence[Trial], deciding: str, seconds: float
    ) -> None:
        self._code = code
        self._trials = trials
        self._deciding = deciding
        self._seconds = seconds
        self._budget = Budget(seconds)
        self._results = wrong_results(each for each in trials if each.is_wrong)
        self._found: list[SeenSymptom] = []

    def run(self) -> tuple[SeenSymptom, ...]:
        """Return the most informative statements, at most three."""
        # Relations call the oracle, which may be slow; the limits reserve time for other steps.
        steps = (
            (self._relations, 0.5),
            (self._contents, 0.2),
            (self._plain, 0.2),
            (self._places, 0.3),
            (self._conditions, 0.3),
            (self._outputs, 0.3),
        )
        for step, share in steps:
            self._budget = Budget(share * self._seconds)
            try:
                self._budget.check()
                step()
            except OutOfTime:
                continue
        return tuple(self._found[:MOST_SYMPTOMS])

    def _relations(self) -> None:
        """Find relations of whole results, in the first scope in which one holds."""
        self._say_first(self._relation)

    def _contents(self) -> None:
        """Find statements about wrong elements' values, if no relation was found."""
        if not self._found:
            self._say_first(self._content)

    def _say_first(self, find: Callable[[list[WrongResult]], Label | None]) -> None:
        for scope, results in self._scopes():
            said = find(results)
            if said is not None:
                self._say(said, scope, _num_cases(results))
                return

    def _plain(self) -> None:
        """Find statements about wrong answers that are not numbers."""
        found = find_plain([each for each in self._trials if each.is_wrong])
        if found is not None:
            said, scope, faults = found
            self._say(said, scope, len({each.trial.index for each in faults}))

    def _scopes(self) -> Iterator[tuple[Label, list[WrongResult]]]:
        results = self._results
        if not results:
            return
        names = list(dict.fromkeys(each.name for each in results))
        if len(names) > MOST_NAMES:
            names = []  # each case has its own names of results
        scopes = [(label("all"), results)]
        for name in names if len(names) > 1 else ():
            scopes.append(
                (label("named", name=name), [each for each in results if each.name == name])
            )
        inside = [each for each in results if each.trial.group == self._deciding]
        if len(inside) < len(results):
            scopes.append((label("grouped", group=self._deciding), inside))
            for name in names if len(names) > 1 else ():
                both = [each for each in inside if each.name == name]
                scopes.append((label("both", name=name, group=self._deciding), both))
        yield from sorted(
            ((self._scope(said), inside) for said, inside in scopes if inside),
            key=lambda each: len(each[1]),
            reverse=True,
        )

    def _scope(self, said: Label) -> Label:
        """Return the scope of a statement, restricted if a wrong result cannot be compared."""
        values = dict(said[1])
        compared = {(id(each.trial), each.key) for each in self._results}
        for trial in self._trials:
            if values.get("group", trial.group) != trial.group:
                continue
            for key in {finding.key for finding in trial.findings}:
                is_inside = values.get("name", name_of_key(key)) == name_of_key(key)
                if is_inside and (id(trial), key) not in compared:
                    return f"{said[0]}_comparable", said[1]
        return said

    def _relation(self, results: list[WrongResult]) -> Label | None:
        """Return a relation of whole results to the truth, the inputs or other arguments."""
        if sum(each.got.numel() for each in results) < 2:
            return None
        told = self._intersect(results, lambda each, _: value_labels(each, self._before(each)))
        told |= self._intersect(
            results, lambda each, old: argument_labels(self._code, each, old, self._budget)
        )
        told = {each for each in told if _counts(each, results)}
        factors = [each for each in told if each[0] == "factor_of"]
        if len(factors) > 1 and any(each[0] == "factor" for each in told):
            # Several sizes have the value of the factor, so none is named.
            told -= set(factors)
        return _strongest(told)

    def _content(self, results: list[WrongResult]) -> Label | None:
        """Return a statement about the values of the wrong elements."""
        told = self._intersect(results, lambda each, _: content_labels(each))
        return _strongest({each for each in told if _counts(each, results)})

    def _intersect(
        self,
        results: list[WrongResult],
        labels: Callable[[WrongResult, set[Label] | None], set[Label]],
    ) -> set[Label]:
        common: set[Label] | None = None
        for each in results:
            self._budget.check()
            found = labels(each, common)
            common = found if common is None else common & found
            if not common:
                return set()
        return common or set()

    def _before(self, result: WrongResult) -> list[WrongResult]:
        same = [each for each in self._results if each.name == result.name]
        return [each for each in same if _place(each) < _place(result)]

    def _places(self) -> None:
        """Find which elements of a result are wrong."""
        for scope, results in self._scopes():
            shares: dict[Label, list[float]] | None = None
            for each in results:
                self._budget.check()
                found = place_shares(each)
                shares = (
                    {said: [share] for said, share in found.items()}
                    if shares is None
                    else {
                        said: [*old, found[said]] for said, old in shares.items() if said in found
                    }
                )
                if not shares:
                    break
            likely = {
                said: math.prod(old) for said, old in (shares or {}).items() if is_unlikely(old)
            }
            if likely:
                said = min(likely, key=lambda each: (likely[each], each))
                self._say(said, scope, _num_cases(results))
                return

    def _conditions(self) -> None:
        """Find the cases in which the answer is wrong."""
        found = find_conditions(self._trials)
        if found:
            num_wrong = len({each.index for each in self._trials if each.is_wrong})
            name = "only_where" if not found[0].is_exact else "exactly_where"
            self._say_condition(found[0].said, name, num_wrong)

    def _outputs(self) -> None:
        num_wrong = len({each.index for each in self._trials if each.is_wrong})
        for said in find_outputs(self._trials):
            self._found.append(_symptom(said, _words(said), num_wrong))

    def _say(self, said: Label, scope: Label, num_cases: int) -> None:
        self._found.append(_symptom(said, _words(said, scope), num_cases))

    def _say_condition(self, said: Label, frame: str, num_cases: int) -> None:
        inner = {lang: text(f"judge.symptom.if.{said[0]}", lang, **dict(said[1])) for lang in LANGS}
        words: Note = {
            lang: text(f"judge.symptom.{frame}", lang, condition=inner[lang]) for lang in LANGS
        }
        self._found.append(_symptom(said, words, num_cases))


def find_symptoms(
    code: ProblemCode, trials: Iterable[Trial], *, seconds: float = SYMPTOM_CPU_SECONDS
) -> tuple[SeenSymptom, ...]:
    """Return at most three statements that are true of all wrong answers of a job."""
    known = sorted(trials, key=lambda each: each.index)
    wrong = [each for each in known if each.is_wrong]
    if not wrong:
        return ()
    return Search(code, known, wrong[0].group, seconds).run()


def _symptom(said: Label, words: Note, num_cases: int) -> SeenSymptom:
    return SeenSymptom(name=said[0], words=words, cases=num_cases)


def _words(said: Label, scope: Label | None = None) -> Note:
    """Format a statement in both languages, with the results that it is about."""
    values = dict(said[1])
    words: Note = {}
    for lang in LANGS:
        what = text(f"judge.symptom.of.{scope[0]}", lang, **dict(scope[1])) if scope else ""
        sentence = text(f"judge.symptom.{said[0]}", lang, what=what, **values)
        words[lang] = sentence[:1].upper() + sentence[1:]
    return words


def _num_cases(results: list[WrongResult]) -> int:
    return len({each.trial.index for each in results})


def _place(result: WrongResult) -> tuple[int, str]:
    return result.trial.index, result.key


def _counts(said: Label, results: list[WrongResult]) -> bool:
    """Return whether there is enough evidence for a weak statement."""
    if said[0] in ("too_small", "too_large"):
        return sum(int(each.wrong.sum()) for each in results) >= 12 and len(results) > 1
    if said[0] == "sign":
        return sum(int(each.wrong.sum()) for each in results) >= 4
    if said[0] in ("factor", "offset", "proportional"):
        # With one number each, any answer is a multiple of the truth.
        return _has_many_numbers(results)
    if said[0] == "previous":
        return len(results) > 1
    return True


def _has_many_numbers(results: list[WrongResult]) -> bool:
    """Return whether one result has several numbers, or several results have different ones."""
    truths = [each.truth.nan_to_num() for each in results]
    single = {float(each) for each in truths if each.numel() == 1 and float(each)}
    return len(single) > 2 or any(int((each != 0).sum()) >= 2 for each in truths)


def _strongest(told: set[Label]) -> Label | None:
    return min(told, key=lambda each: (ORDER.index(each[0]), _strength(each)), default=None)


def _strength(said: Label) -> tuple[float, str]:
    """Return the sort key among statements of one kind: the smallest error first."""
    values = dict(said[1])
    return (float(values["share"]) if "share" in values else 0.0, str(said[1]))
