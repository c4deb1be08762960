"""The table of the benchmark: each figure in its place, judged by its aim."""

from evaluation.bench.report import FULL, LINES, SAMPLE, STARTER, Aim, BenchReport


def line(table: str, label: str) -> str:
    return next(line for line in table.splitlines() if line.startswith(label))


def test_an_aim_is_met_from_its_bound_on() -> None:
    assert Aim(15).met(15)
    assert not Aim(15).met(15.1)
    assert Aim(100, at_least=True).met(100)
    assert not Aim(100, at_least=True).met(99.9)


def test_an_aim_counts_only_for_the_index_it_is_set_for() -> None:
    report = BenchReport({"cores": 2})
    report.add(STARTER, chat_ms_p50=41.2, warm_start_s=2)
    report.add(FULL, chat_ms_p50=41.2, warm_start_s=4)
    table = report.table()
    assert "cores 2" in table
    assert line(table, "/api/chat one at a time, p50").split()[-5:] == ["41.2", "≤", "30", "✗", "41.2"]
    assert line(table, "warm start").split()[-5:] == ["2.00", "4.00", "≤", "5", "✓"]
    assert report.as_json()["missed"] == ["starter.chat_ms_p50: 41.2, aim ≤ 30"]


def test_what_was_not_measured_takes_no_room() -> None:
    report = BenchReport({})
    report.add(SAMPLE, ingest_share=0.9)
    report.note("no index of the statutes")
    table = report.table()
    assert "sample" in table
    assert "full" not in table
    assert "retrieve stage" not in table
    assert table.endswith("no index of the statutes")


def test_every_aim_of_the_specification_has_a_line() -> None:
    aims = {(line.key, index): (aim.bound, aim.at_least) for line in LINES for index, aim in line.aims.items()}
    assert aims == {
        ("search_ms_p50", FULL): (15, False),
        ("search_ms_p95", FULL): (40, False),
        ("stage_ms_p50", FULL): (40, False),
        ("peer_speedup", FULL): (50, True),
        ("peer_any_gain", SAMPLE): (0, True),
        ("peer_any_gain", FULL): (0, True),
        ("warm_start_s", FULL): (5, False),
        ("resident_mb", FULL): (1536, False),
        ("chat_ms_p50", STARTER): (30, False),
        ("chat_rps", STARTER): (100, True),
        ("cached_share", STARTER): (0.5, True),
        ("ingest_share", SAMPLE): (0.85, True),
        ("growth", FULL): (3, False),
    }


def test_figures_without_a_line_are_left_out() -> None:
    report = BenchReport({})
    report.add_all(STARTER, "search", {"ms_p50": 1.5, "mrr": 0.9})
    assert report.as_json()["figures"] == {STARTER: {"search_ms_p50": 1.5}}
