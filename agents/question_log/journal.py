"""The files of the question log: JSON lines in ``DATA_DIR/questions``, a day in at least one file of its own; blocking.

Several processes may write. Lines are added under a lock and taken back where they do not fit on the disk, so that lines stay
whole. A day's lines go with its files; a user's lines go when the user asks for it, and the file is replaced then.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import suppress
from datetime import UTC, date, datetime, timedelta
from pathlib import Path

from agents.question_log.files import append_whole, keep_lines, locked
from agents.question_log.records import AnsweredQuestion, GivenFeedback, client_digest, parsed, user_digest

FOLDER = "questions"
FEEDBACK_DAYS = 7
"""Days after an answer in which a verdict on it is taken."""

_PATTERN = "[0-9]" * 8 + "-" + "[0-9]" * 6 + ".jsonl"


class Journal:
    """The log below a data directory: files of at most about ``file_bytes``, at most ``files`` of them, ``days`` days back."""

    def __init__(self, data_dir: Path, *, days: int, file_bytes: int, files: int) -> None:
        self._root = data_dir / FOLDER
        self._lock = self._root / "log.lock"
        self._days = days
        self._file_bytes = file_bytes
        self._files = files

    def append(self, *lines: AnsweredQuestion | GivenFeedback) -> None:
        """Add at least one line, all or none; a new file removes those that are too many or too old. Raises OSError."""
        content, day = b"".join(line.model_dump_json().encode() + b"\n" for line in lines), lines[-1].time.date()
        self._root.mkdir(mode=0o700, parents=True, exist_ok=True)
        with locked(self._lock):
            files = self.files()
            last = files[-1] if files else None
            if last is None or _day_of(last) < day or last.stat().st_size >= self._file_bytes:
                last = self._next(last, day)
                self._remove([*files, last], day)
            append_whole(last, content)

    def purge(self, today: date | None = None) -> None:
        """Remove what is too old or too much. Raises OSError."""
        if self._root.is_dir():
            with locked(self._lock):
                self._remove(self.files(), today or datetime.now(UTC).date())

    def of_user(self, client: str, user_id: str) -> list[AnsweredQuestion | GivenFeedback]:
        """Return what is kept of a user of a client, both given by name, the oldest first. Raises OSError."""
        keys = self._asked_by(client, user_id)
        return [line for line in self._lines() if line.key in keys]

    def forget(self, client: str, user_id: str) -> int:
        """Remove the questions of a user and the verdicts on their answers; the number of lines. Raises OSError.

        What a crash has cut short in the same file goes as well: whose it was cannot be told.
        """
        if not self._root.is_dir():
            return 0
        with locked(self._lock):
            keys = self._asked_by(client, user_id)

            def is_kept(content: bytes) -> bool:
                return all(line.key not in keys for line in parsed([content]))

            return sum(keep_lines(file, is_kept) for file in self.files()) if keys else 0

    def check(self) -> None:
        """Raise OSError if no line could be added."""
        self._root.mkdir(mode=0o700, parents=True, exist_ok=True)
        with locked(self._lock):
            append_whole(self._root / ".check", b"\n")
            (self._root / ".check").unlink()

    def knows(self, request_id: str, client: str) -> bool:
        """Return True if ``client``, given by name, was answered under this id within the last `FEEDBACK_DAYS`."""
        since = datetime.now(UTC).date() - timedelta(days=FEEDBACK_DAYS)
        mark, key = f'"request_id":"{request_id}"'.encode(), (client_digest(client), request_id)
        for file in reversed([file for file in self.files() if _day_of(file) >= since]):
            with suppress(FileNotFoundError), file.open("rb") as lines:  # another process may remove it
                found = parsed(line for line in lines if mark in line)
                if any(isinstance(line, AnsweredQuestion) and line.key == key for line in found):
                    return True
        return False

    def files(self) -> list[Path]:
        """All files, the oldest first."""
        return sorted(self._root.glob(_PATTERN))

    def _asked_by(self, client: str, user_id: str) -> set[tuple[str, str]]:
        """The keys of a user's questions, by which the verdicts on their answers are found."""
        user = user_digest(client, user_id)
        return {line.key for line in self._lines() if isinstance(line, AnsweredQuestion) and user and line.user == user}

    def _lines(self) -> Iterator[AnsweredQuestion | GivenFeedback]:
        for file in self.files():
            with suppress(FileNotFoundError), file.open("rb") as lines:  # another process may remove it
                yield from parsed(lines)

    def _next(self, last: Path | None, day: date) -> Path:
        """The file after ``last``; the number goes on from day to day, so that a clock put back does not mix them up."""
        number = int(last.stem.partition("-")[2]) + 1 if last else 1
        return self._root / f"{day:%Y%m%d}-{number:06d}.jsonl"

    def _remove(self, files: Sequence[Path], today: date) -> None:
        oldest = today - timedelta(days=self._days)
        kept = [file for file in files if _day_of(file) >= oldest][-self._files :]
        for file in set(files) - set(kept):
            file.unlink(missing_ok=True)


def read_journal(data_dir: Path, since: date | None = None) -> Iterator[AnsweredQuestion | GivenFeedback]:
    """All lines of the log of a data directory, the oldest first; from the day ``since`` on."""
    for file in sorted((data_dir / FOLDER).glob(_PATTERN)):
        if since is None or _day_of(file) >= since:
            with file.open("rb") as lines:
                yield from parsed(lines)


def _day_of(file: Path) -> date:
    return datetime.strptime(file.name[:8], "%Y%m%d").replace(tzinfo=UTC).date()
