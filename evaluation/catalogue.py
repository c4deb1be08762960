"""The commands of ``python -m evaluation``, by name; their modules are imported only when they run, so that ``--help`` is quick."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Command:
    """A sub-command: ``module.arguments(parser)`` declares its options, ``module.run(namespace)`` gives the exit status."""

    name: str
    help: str
    module: str
    arguments: str
    run: str


COMMANDS = (
    Command(
        "routing",
        "route questions; with labels print accuracy, F1 and rejection",
        "evaluation.commands.routing",
        "add_routing_arguments",
        "run_routing",
    ),
    Command(
        "retrieval",
        "run the retrieve stage; with gold print any@k, recall and MRR",
        "evaluation.commands.retrieval",
        "add_arguments",
        "run",
    ),
    Command(
        "compare",
        "run the retrieve stage with two configurations; print their figures side by side",
        "evaluation.commands.experiments.compare",
        "add_arguments",
        "run",
    ),
    Command(
        "modes",
        "search in every mode; print what each changes and which are chosen",
        "evaluation.commands.experiments.modes",
        "add_arguments",
        "run",
    ),
    Command(
        "answers",
        "answer questions; print how many are answered, grounded and hold their key facts",
        "evaluation.commands.answers",
        "add_arguments",
        "run",
    ),
    Command(
        "asks",
        "answer owners' questions; print how many asks are answered, concluded, computed, admitted, and what misleads",
        "evaluation.commands.asks",
        "add_arguments",
        "run",
    ),
    Command(
        "notices",
        "ask for notices and talk about them; print what is found, answered right and wrongly taken",
        "evaluation.commands.experiments.notices",
        "add_arguments",
        "run",
    ),
    Command(
        "gaps",
        "group what users asked and nothing answered, or did not help them, by topic",
        "evaluation.commands.gaps",
        "add_arguments",
        "run",
    ),
    Command(
        "corrupt-answers",
        "spoil answers on purpose; print how many of them the rule evaluator fails, and of the right ones",
        "evaluation.commands.corrupt_answers",
        "add_arguments",
        "run",
    ),
    Command(
        "sample-units",
        "draw units of the starter base by lot, for a reader who checks them against the statutes",
        "evaluation.commands.sample_units",
        "add_arguments",
        "run",
    ),
    Command(
        "corrupt-sentences",
        "change one fact of cited sentences; print how many the grounding check finds, and its false alarms",
        "evaluation.commands.corrupt_sentences",
        "add_arguments",
        "run",
    ),
    Command(
        "document-gallery",
        "write the samples of all documents as pictures for docs/documents-gallery.md",
        "evaluation.commands.documents.document_gallery",
        "add_arguments",
        "run",
    ),
    Command(
        "documentation",
        "write the pages of the documentation site: docs/, the README and what is read off the code",
        "evaluation.commands.documents.documentation",
        "add_arguments",
        "run",
    ),
    Command(
        "openapi",
        "write the OpenAPI document of the service, which the clients are made from",
        "evaluation.commands.documents.openapi",
        "add_arguments",
        "run",
    ),
    Command(
        "graph-picture",
        "write the picture of the graph that a server for LangGraph Studio tells of",
        "evaluation.commands.documents.graph_picture",
        "add_arguments",
        "run",
    ),
    Command(
        "trace",
        "answer one question; print how many functions, files and calls of the tokenizer it takes",
        "evaluation.commands.trace",
        "add_arguments",
        "run",
    ),
    Command(
        "bench",
        "measure speed, memory and scale beside the LangChain wiring",
        "evaluation.commands.bench",
        "add_arguments",
        "run",
    ),
    Command(
        "checkouts",
        "answer the same questions with two checkouts by turns; print the speed of both and which answers differ",
        "evaluation.commands.checkouts",
        "add_arguments",
        "run",
    ),
    Command(
        "soak",
        "ask the service for a long time; print what it holds meanwhile, and fail if that grows",
        "evaluation.commands.experiments.soak",
        "add_arguments",
        "run",
    ),
    Command(
        "streams",
        "stream many answers of a slow model at once; print what the service adds to the first word, and what it holds",
        "evaluation.commands.experiments.streams",
        "add_arguments",
        "run",
    ),
    Command(
        "fairness",
        "load the service with many clients, with and without a hostile one among them",
        "evaluation.commands.fairness",
        "add_arguments",
        "run",
    ),
    Command(
        "chaos",
        "break the servers around the service one after the other; print what its clients see",
        "evaluation.commands.chaos",
        "add_arguments",
        "run",
    ),
    Command(
        "ragas",
        "answer questions and score the answers with RAGAS (needs the eval extra and a model)",
        "evaluation.commands.ragas",
        "add_arguments",
        "run",
    ),
    Command(
        "train",
        "learn everything that is learned, in its order, each step only when its inputs are there",
        "evaluation.commands.training.train",
        "add_arguments",
        "run",
    ),
    Command(
        "train-encoder",
        "train the embedded encoder from statutes and court decisions",
        "evaluation.commands.training.train_encoder",
        "add_arguments",
        "run",
    ),
    Command(
        "train-phrasings",
        "teach the vectors of answer units on the phrasings of the starter base",
        "evaluation.commands.training.train_phrasings",
        "add_arguments",
        "run",
    ),
    Command(
        "count-cases",
        "count what court decisions say of the statutes",
        "evaluation.commands.training.count_cases",
        "add_arguments",
        "run",
    ),
    Command(
        "train-ranking",
        "learn the order of candidates from questions with their articles",
        "evaluation.commands.training.train_ranking",
        "add_training_arguments",
        "run_training",
    ),
    Command(
        "sweep-fusion",
        "score every fusion of lexical and vector side with the embedder in use",
        "evaluation.commands.training.train_ranking",
        "add_sweep_arguments",
        "run_sweep",
    ),
    Command(
        "train-answers",
        "learn which sentence answers, and whether any does",
        "evaluation.commands.training.train_answers",
        "add_arguments",
        "run",
    ),
    Command(
        "train-units",
        "learn which answer unit answers, and whether any does",
        "evaluation.commands.training.train_units",
        "add_arguments",
        "run",
    ),
    Command(
        "train-verdicts",
        "learn the yes or no of an answer unit to a question",
        "evaluation.commands.training.train_verdicts",
        "add_arguments",
        "run",
    ),
    Command(
        "train-evaluator",
        "learn how the rule evaluator tells an answer that does not answer",
        "evaluation.commands.training.train_evaluator",
        "add_arguments",
        "run",
    ),
    Command(
        "ablation",
        "score what each part of the statute search gains",
        "evaluation.commands.training.train_ranking",
        "add_ablation_arguments",
        "run_ablation",
    ),
    Command(
        "ablation-answers",
        "score what each feature of the answers and of the judge of answers gains",
        "evaluation.commands.experiments.feature_ablation",
        "add_answers_arguments",
        "run_answers",
    ),
    Command(
        "ablation-routing",
        "score what each feature of routing gains",
        "evaluation.commands.experiments.feature_ablation",
        "add_routing_arguments",
        "run_routing",
    ),
    Command(
        "encoder",
        "find documents by the embedded encoder alone; print any@k, recall and MRR",
        "evaluation.commands.encoder",
        "add_arguments",
        "run",
    ),
    Command(
        "calibrate-routing",
        "fit the weights of routing on labelled questions",
        "evaluation.commands.routing",
        "add_calibration_arguments",
        "run_calibration",
    ),
)
