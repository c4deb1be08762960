"""Records of index jobs as files."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from pathlib import Path

from vectorstores.jobs.records import JobOrder, JobStore, new_job


def test_a_record_may_be_written_by_two_at_once(tmp_path: Path) -> None:
    """A job that ends at once has its end written while its start still is."""
    store, record = JobStore(tmp_path), new_job(JobOrder(domain="hr_labor"))
    with ThreadPoolExecutor(4) as threads:
        list(threads.map(store.save, [record] * 60))
    assert store.load(record.job.id) == record
    assert [path.suffix for path in store._root.iterdir()] == [".json"]
