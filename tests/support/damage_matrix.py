"""Every file of a collection damaged in four ways, and what becomes of it: ``python -m tests.support.damage_matrix``.

Each case runs in a process of its own over hard links to the data directory, the damaged file alone being a copy, so that an
index of gigabytes can be tried, too. The index is opened, asked, checked as the service does in the background, asked again and
verified. Nothing of it may crash, raise what is not typed, or answer otherwise than before without saying so.
"""

from __future__ import annotations

import argparse
import hashlib
import json
import os
import shutil
import sys
import tempfile
import time
import traceback
from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import asdict, dataclass, field
from pathlib import Path
from typing import Any

from kiwipiepy import Token

from tests.support.small_searcher import request_for
from utils.config.settings import Settings
from utils.korean.glossary import load_glossary
from utils.law.question_references import LawNameFinder
from vectorstores.build.providers import open_store
from vectorstores.build.verify import verify_index
from vectorstores.embedders.factory import build_embedder
from vectorstores.errors import KnowledgeIndexError
from vectorstores.index import KnowledgeIndex
from vectorstores.live.background_check import BackgroundCheck
from vectorstores.live.opening import open_connected
from vectorstores.ranking.combiner import LinearCombiner
from vectorstores.rerankers.factory import build_reranker
from vectorstores.search.hybrid import HybridSearcher
from vectorstores.tokenizer import KiwiTokenizer
from vectorstores.units.match import Context

QUESTIONS = 6
UNITS = 3
DAMAGES = ("deleted", "halved", "flipped", "zeroed")
_PAGE = 4096


@dataclass(slots=True)
class Seen:
    """The view that one process had of an index; an answer is a digest of the hits, and the components named as missing."""

    refused: str = ""
    at_open: str = ""
    in_background: str = ""
    verify: list[str] = field(default_factory=list)
    answers: list[tuple[str, list[str]]] = field(default_factory=list)
    later_answers: list[tuple[str, list[str]]] = field(default_factory=list)
    crash: str = ""


@dataclass(frozen=True, slots=True)
class Case:
    """A file in a damaged state, and the view that a process had of the index."""

    file: str
    damage: str
    seen: Seen
    verdict: str
    fault: str


class _TokenizerOfAFork(KiwiTokenizer):
    """A forked process has none of the threads that Kiwi hands long texts to."""

    def _tokens(self, sentence: str) -> list[Token]:
        tokens: list[Token] = self._kiwi.tokenize(sentence)
        return tokens


class Matrix:
    """The cases of one collection of a data directory that is left as it is."""

    def __init__(self, data_dir: Path, collection: str) -> None:
        self._settings = Settings(_env_file=None, data_dir=data_dir)
        self._collection = collection
        self._root = data_dir
        self._tokenizer = _TokenizerOfAFork()
        self._embedder = build_embedder(self._settings, self._tokenizer)
        self._reranker = build_reranker(self._settings, self._embedder, self._tokenizer)
        self._order = LinearCombiner.load()
        self._glossary = load_glossary()
        layout = open_store(self._settings).layout
        pointer = layout.pointer()
        assert pointer is not None, "no index"
        version = layout.root / pointer.current
        folder = layout.collection_dir(layout.manifest(pointer.current).collections[collection])
        inside = [path for path in folder.rglob("*") if path.is_file() and path.stat().st_size]
        outside = [layout.root / "current.json", version / "manifest.json"]
        self.files = sorted(path.relative_to(data_dir).as_posix() for path in (*inside, *outside))
        self._questions = _in_child(self._ask_for_questions)
        self.whole: Seen = Seen(**_in_child(lambda: asdict(self._see(data_dir))))

    def run(self, files: Sequence[str], damages: Sequence[str] = DAMAGES) -> Iterator[Case]:
        """Try each of ``files``, paths below the data directory, in each state."""
        for file in files:
            for damage in damages:
                copy = Path(tempfile.mkdtemp(prefix="damaged-", dir=self._root.parent))
                try:
                    _link_all(self._root, copy / "data")
                    if not _damage(copy / "data" / file, damage):
                        continue
                    result = _in_child(lambda place=copy / "data": asdict(self._see(place)))  # type: ignore[misc]
                finally:
                    shutil.rmtree(copy)
                seen = Seen(**result) if isinstance(result, dict) else Seen(crash=str(result))
                yield Case(file.split("/", 1)[-1], damage, seen, *self._judged(seen))

    def _judged(self, seen: Seen) -> tuple[str, str]:
        """Who noticed, and what is wrong with it: empty when nothing is."""
        if seen.crash:
            return "crash", seen.crash
        if seen.refused:
            return "refused at start", "" if "python -m vectorstores" in seen.refused else "no command named"
        verdict = "at open" if seen.at_open else "in background" if seen.in_background else ""
        verdict = verdict or ("by verify" if seen.verify else "harmless")
        changed = [
            number
            for number, (now, before) in enumerate(zip(seen.later_answers, self.whole.answers, strict=True))
            if now[0] != before[0] and not now[1]
        ]
        fault = f"answers {changed} changed and nothing is named" if changed else ""
        if (seen.at_open or seen.in_background) and not seen.verify:
            fault = "verify finds nothing"
        return verdict, fault

    def _searcher(self, index: KnowledgeIndex) -> HybridSearcher:
        laws = LawNameFinder(self._glossary.laws.union(index.law_names()), self._glossary.law_aliases)
        return HybridSearcher(
            index, self._tokenizer, self._embedder, self._reranker, laws, self._order, self._glossary.words
        )

    def _ask_for_questions(self) -> list[str]:
        """The titles of chunks, evenly spread."""
        index = open_store(self._settings).open_current()
        collection = index.collections[self._collection]
        step = max(1, collection.size // QUESTIONS)
        ordinals = list(range(0, collection.size, step))[:QUESTIONS]
        return [f"{chunk.title} {chunk.text[-60:]}" for chunk in collection.chunks(ordinals)]

    def _see(self, data_dir: Path) -> Seen:
        seen = Seen()
        store = open_store(self._settings.model_copy(update={"data_dir": data_dir}))
        try:
            index = open_connected(store)
        except KnowledgeIndexError as error:
            seen.refused = str(error)
            return seen
        seen.at_open = index.damages.get(self._collection, "")
        seen.answers = self._answers(index)
        BackgroundCheck(store, lambda: index).check()
        seen.in_background = index.damages.get(self._collection, "")
        seen.later_answers = self._answers(index)
        index.close()
        again = store.open_current()
        seen.verify = [*store.layout.damaged_records(again.version), *verify_index(again)]
        again.close()
        return seen

    def _answers(self, index: KnowledgeIndex) -> list[tuple[str, list[str]]]:
        searcher = self._searcher(index)
        answers: list[tuple[str, list[str]]] = []
        for question in self._questions:
            try:
                outcome = searcher.search(self._collection, request_for(question, rerank=True))
            except KnowledgeIndexError as error:
                answers.append(("", [type(error).__name__]))
                continue
            found: list[tuple[object, ...]] = [
                (hit.chunk.id, hit.chunk.text, repr(hit.chunk.load_terms()), round(hit.score, 4))
                for hit in outcome.hits
            ]
            units = searcher.units
            found += [
                (match.chunk.id, match.unit.name, [said.text for said in match.unit.sentences], round(match.score, 4))
                for match in units.find(units.asked(question), Context((), ()), UNITS)
            ]
            digest = hashlib.sha256(json.dumps(found, ensure_ascii=False).encode()).hexdigest()
            answers.append((digest, [degraded.component.value for degraded in outcome.degraded]))
        return answers


def _in_child(work: Callable[[], Any]) -> Any:
    """Return the result of ``work`` in a process of its own, or the way that process ended in words."""
    reader, writer = os.pipe()
    child = os.fork()
    if child == 0:
        os.close(reader)
        try:
            said = {"result": work()}
        except BaseException:
            said = {"raised": traceback.format_exc(limit=-3)}
        with os.fdopen(writer, "w", encoding="utf-8") as pipe:
            json.dump(said, pipe)
        os._exit(0)
    os.close(writer)
    with os.fdopen(reader, encoding="utf-8") as pipe:
        text = pipe.read()
    status = os.waitstatus_to_exitcode(os.waitpid(child, 0)[1])
    if status or not text:
        return f"ended by signal {-status}"
    said = json.loads(text)
    return said["result"] if "result" in said else said["raised"]


def _link_all(source: Path, target: Path) -> None:
    """The same index under another root. What Chroma may write to is copied; other files are shared."""

    def linked(here: str, there: str) -> None:
        if here.endswith((".sqlite3", ".lock")):
            shutil.copy2(here, there)
        else:
            try:
                os.link(here, there)
            except OSError:
                shutil.copy2(here, there)

    shutil.copytree(source / "index", target / "index", copy_function=linked)


def _damage(path: Path, damage: str) -> bool:
    """Put a damaged copy in the place of a link; False where that changes nothing."""
    content = bytearray(path.read_bytes())
    before = bytes(content)
    if damage == "deleted":
        path.unlink()
        return True
    if damage == "halved":
        content = content[: len(content) // 2]
    elif damage == "flipped":
        for place in (len(content) // 4, len(content) // 2, 3 * len(content) // 4):
            content[place] ^= 0xFF
    else:
        start = len(content) // 3
        content[start : start + max(1, len(content) // 10)] = bytes(max(1, len(content) // 10))
    path.unlink()
    path.write_bytes(content)
    return bytes(content) != before


def main(arguments: Sequence[str] | None = None) -> int:
    """Print a line a case and the sums; returns 1 when a case is not as it must be."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--data-dir", type=Path, required=True)
    parser.add_argument("--collection", default="hr_labor_db")
    parser.add_argument("--only", nargs="*", default=[], help="parts of the names of files to damage")
    options = parser.parse_args(arguments)
    started = time.monotonic()
    matrix = Matrix(options.data_dir.resolve(), options.collection)
    if matrix.whole.verify or matrix.whole.refused or matrix.whole.at_open:
        print(f"the index is damaged before anything is done to it: {matrix.whole}")
        return 1
    files = [file for file in matrix.files if not options.only or any(part in file for part in options.only)]
    verdicts: Counter[str] = Counter()
    faults = 0
    for case in matrix.run(files):
        silent = sum(
            now[0] != before[0] and not now[1]
            for now, before in zip(case.seen.answers, matrix.whole.answers, strict=False)
        )
        marked = sum(bool(answer[1]) for answer in case.seen.later_answers)
        print(
            f"{case.damage:8} {case.file:80} {case.verdict:16} marked {marked}, before the check changed {silent}"
            f"{'  FAULT: ' + case.fault if case.fault else ''}",
            flush=True,
        )
        verdicts[case.verdict] += 1
        faults += bool(case.fault)
    print(f"{dict(verdicts)}; {faults} faults; {time.monotonic() - started:.0f} s")
    return 1 if faults else 0


if __name__ == "__main__":
    sys.exit(main())
