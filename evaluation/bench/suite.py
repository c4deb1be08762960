"""The whole benchmark: one index after the other, searching in this process, then the service in its own."""

from __future__ import annotations

from evaluation.bench.corpus import BenchCorpus
from evaluation.bench.report import FULL, SAMPLE, STARTER, BenchReport
from evaluation.bench.search_bench import SearchBench
from evaluation.bench.service_bench import ServiceBench
from evaluation.bench.subject import BenchOptions, Subject
from evaluation.questions import EvaluationQuestion, load_questions
from utils.config.settings import PROJECT_ROOT, Settings
from vectorstores.build.progress import Progress
from vectorstores.cli import STARTER_KEY
from vectorstores.loaders.sniff import Probe
from vectorstores.loaders.statutes import StatuteLoader
from vectorstores.versions.versions import INGEST_COMMAND, IndexLayout, Manifest

DATASETS = PROJECT_ROOT / "evaluation" / "datasets"
_WARM_UP_FILE = "acceptance.jsonl"  # none of these questions is measured
_WARM_UP_QUESTIONS = 8


def run_bench(settings: Settings, options: BenchOptions, report: BenchReport, progress: Progress) -> None:
    """Measure the starter index, the sample and the index of the data directory, as far as there are such.

    What was measured before a failure stays in ``report``.

    Raises:
        vectorstores.errors.KnowledgeIndexError: an index cannot be built or opened.
        OSError: a file is missing; the service did not start or did not answer as it should.
        ValueError: a file is no dataset, no archive of statutes.
    """
    if options.statutes and not (options.statutes.exists() and StatuteLoader().accepts(Probe(options.statutes))):
        raise ValueError(f"--statutes: no archive or tree of statutes: {options.statutes}")
    corpus = BenchCorpus(settings, settings.data_dir / "bench", progress)
    starter = starter_questions()
    questions = load_questions(options.dataset) if options.dataset else starter
    warm_up = tuple(question.question for question in load_questions(DATASETS / _WARM_UP_FILE)[:_WARM_UP_QUESTIONS])
    full = full_index(settings)

    _measure(Subject(STARTER, corpus.starter(), starter, warm_up), options, report, progress)
    if options.statutes:
        with_starter = full is None or STARTER_KEY in full.sources
        sample, speed = corpus.sample(options.statutes, options.sample_articles, with_starter=with_starter)
        report.add(
            SAMPLE,
            ingest_kchars=speed.ingest / 1000,
            analyzer_kchars=speed.analyzer / 1000,
            ingest_share=speed.ingest / speed.analyzer,
        )
        _measure(Subject(SAMPLE, sample, questions, warm_up), options, report, progress)
    if full is not None:
        _measure(Subject(FULL, settings, questions, warm_up), options, report, progress)
    _note_what_is_missing(report, settings, options, full)


def starter_questions() -> list[EvaluationQuestion]:
    """The question of each document of the starter knowledge base."""
    return [question for file in sorted(DATASETS.glob("starter_*.jsonl")) for question in load_questions(file)]


def full_index(settings: Settings) -> Manifest | None:
    """The index of the data directory when statutes were ingested into it.

    Raises:
        vectorstores.errors.IndexDamaged: there is one, but it cannot be read.
    """
    layout = IndexLayout(settings.data_dir)
    pointer = layout.pointer()
    if pointer is None:
        return None
    manifest = layout.manifest(pointer.current)
    return manifest if any(source.format == StatuteLoader.name for source in manifest.sources.values()) else None


def _measure(subject: Subject, options: BenchOptions, report: BenchReport, progress: Progress) -> None:
    """Everything of one index; one process after the other, since an index has one owner."""
    searching = SearchBench(subject, options, report, progress)
    searching.measure_stage()
    searching.measure_search()
    service = ServiceBench(subject, options, report, progress)
    service.measure()
    if subject.name == STARTER:
        service.measure_cache()


def _note_what_is_missing(
    report: BenchReport, settings: Settings, options: BenchOptions, full: Manifest | None
) -> None:
    """Add a note for each part that was not measured, with the command that makes it possible."""
    if options.statutes is None:
        report.note("No sample of the statutes was measured: give --statutes STATUTES.tar.gz.")
    if full is None:
        statutes = options.statutes or "STATUTES.tar.gz"
        report.note(
            f"There is no index of the statutes in {settings.data_dir}; to build it: "
            f"{INGEST_COMMAND} {statutes} --data-dir {settings.data_dir}"
        )
    elif options.dataset is None:
        report.note("The statutes were asked the starter questions, so there is no recall: give --dataset.")
