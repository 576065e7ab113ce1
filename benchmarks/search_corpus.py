"""Measure what a search costs over many documents, beside a scan for the substring.

``python benchmarks/search_corpus.py`` makes 10 000 documents in Chinese and English out of the
sentences of the bank, asks them the queries of the ranking test, and prints the time of a query:
the whole of it, with snippets, and the scan that it replaces.
"""

from __future__ import annotations

import argparse
import json
import os
import random
import sqlite3
import statistics
import sys
import tempfile
import time
import tomllib
from collections.abc import Callable, Sequence
from contextlib import closing
from dataclasses import asdict, dataclass
from pathlib import Path

sys.path.insert(0, str(Path(__file__).resolve().parent.parent))

from benchmarks.machine import describe
from torchstone.app.home import Home, find_home
from torchstone.app.search.documents import Findable, FindableText, findables
from torchstone.app.search.search import Searcher
from torchstone.app.search.snippet import plain_text
from torchstone.bank.concepts import load_concepts
from torchstone.bank.glossary import Glossary, load_glossary
from torchstone.bank.loader import load_bank
from torchstone.core.i18n import LANGS, Lang
from torchstone.store.search_index import DocumentKind

QUERIES = Path(__file__).resolve().parent.parent / "tests/app/search/search_queries.toml"
LIMIT_MS = 20.0
# As fifty statements among seven hundred questions.
SHARE_OF_LONG = 1 / 16


@dataclass(frozen=True, slots=True, kw_only=True)
class Times:
    """Microseconds of a query: as a learner waits, and of the processor alone."""

    wall: dict[str, int]
    cpu: dict[str, int]


def synthetic_documents(num_documents: int, seed: int) -> tuple[Findable, ...]:
    """Make documents that read like the bank's: the same numbers give the same documents.

    Each has a title and a text in both languages. Most are as long as the answer to a question,
    some as long as the statement of a problem; sentences and titles are the content's own.
    """
    draw = random.Random(seed)
    sentences = {lang: _sentences(lang) for lang in LANGS}
    places = list(load_concepts())
    terms = list(load_glossary())
    documents = []
    for number in range(num_documents):
        place, term = draw.choice(places), draw.choice(terms)
        size = draw.randint(25, 50) if draw.random() < SHARE_OF_LONG else draw.randint(3, 12)
        texts: dict[Lang, FindableText] = {}
        for lang in LANGS:
            told = draw.choices(sentences[lang], k=size)
            told.insert(draw.randrange(size), " ".join(draw.choice(terms).said_in(lang)))
            texts[lang] = FindableText(
                title=f"{place.name.said_in(lang)} {term.title.said_in(lang)}",
                names=(f"{number:05}",),
                body="\n\n".join(told),
                keywords=place.id,
            )
        documents.append(Findable(kind=DocumentKind.PROBLEM, id=f"{number:05}", texts=texts))
    return tuple(documents)


def _sentences(lang: Lang) -> list[str]:
    statements = [plain_text(problem.statement.said_in(lang)) for problem in load_bank()]
    stop = "。" if lang == "zh" else ". "
    return [part for text in statements for part in text.replace("\n", stop).split(stop) if part]


def scan(documents: Sequence[Findable]) -> Callable[[str], object]:
    """Make the peer: a search for the query as a substring, as a LIKE does it."""
    table = sqlite3.connect(":memory:")
    table.execute("CREATE TABLE texts (id TEXT, text TEXT)")
    rows = (
        (one.id, f"{text.title}\n{text.body}") for one in documents for text in one.texts.values()
    )
    table.executemany("INSERT INTO texts VALUES (?, ?)", rows)
    select = "SELECT DISTINCT id FROM texts WHERE text LIKE '%' || ? || '%' LIMIT 20"
    return lambda query: table.execute(select, (query,)).fetchall()


def measure(ask: Callable[[str], object], queries: Sequence[str], *, rounds: int) -> Times:
    """Ask every query in turn, several rounds; keep the median of each."""
    times: list[list[tuple[float, float]]] = [[] for _ in queries]
    for _ in range(rounds):
        for query, own in zip(queries, times, strict=True):
            start, start_cpu = time.perf_counter(), time.thread_time()
            ask(query)
            own.append((time.perf_counter() - start, time.thread_time() - start_cpu))
    wall, cpu = (
        [1e6 * statistics.median(pair[which] for pair in own) for own in times] for which in (0, 1)
    )
    return Times(wall=summary(wall), cpu=summary(cpu))


def summary(times: Sequence[float]) -> dict[str, int]:
    """Return the spread of the times over the queries."""
    parts = statistics.quantiles(times, n=20)
    return {"p50_us": round(parts[9]), "p95_us": round(parts[18]), "max_us": round(max(times))}


def main() -> int:
    """Print the times; 1 when the goal is missed."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--documents", type=int, default=10_000)
    parser.add_argument("--rounds", type=int, default=5)
    parser.add_argument("--seed", type=int, default=0)
    parser.add_argument("--json", action="store_true", help="print one JSON object")
    parser.add_argument("--quick", action="store_true", help="tiny sizes: to see that it works")
    options = parser.parse_args()
    if options.quick:
        options.documents, options.rounds = 100, 1
    queries = [row["text"] for row in tomllib.loads(QUERIES.read_text(encoding="utf-8"))["queries"]]
    documents = synthetic_documents(options.documents, options.seed)

    def source(home: Home, glossary: Glossary) -> tuple[Findable, ...]:
        terms = [one for one in findables(home, glossary) if one.kind is DocumentKind.TERM]
        return (*documents, *terms)

    with tempfile.TemporaryDirectory() as folder:
        os.environ["TORCHSTONE_CACHE"] = folder
        with closing(Searcher(find_home(), source=source)) as searcher:
            start = time.perf_counter()
            searcher.find(queries[0])
            build_s = time.perf_counter() - start
            index_mib = sum(file.stat().st_size for file in Path(folder).iterdir()) / 2**20
            times = {
                "search": measure(searcher.find, queries, rounds=options.rounds),
                "scan": measure(scan(documents), queries, rounds=1),
            }
    result = {
        "documents": options.documents,
        "characters": sum(len(t.body) for one in documents for t in one.texts.values()),
        "queries": len(queries),
        "build_s": round(build_s, 1),
        "index_mib": round(index_mib, 1),
        "machine": describe(threads=1),
        **{name: asdict(own) for name, own in times.items()},
    }
    sys.stdout.write(json.dumps(result, indent=None if options.json else 2) + "\n")
    is_met = times["search"].wall["p95_us"] <= 1000 * LIMIT_MS
    return 0 if is_met or options.quick else 1


if __name__ == "__main__":
    sys.exit(main())
