"""Uploaded files, kept under ``DATA_DIR/uploads/<hash>/<name>`` until their job has ended, or some days longer.

The folder is the content's hash, so a file is kept once and its path never changes; the name is the client's, made safe. What
a file is, is told by its content: a name that says something else is refused.
"""

from __future__ import annotations

import codecs
import hashlib
import logging
import os
import re
import secrets
import shutil
import time
from collections.abc import Callable, Collection
from dataclasses import dataclass
from pathlib import Path
from typing import BinaryIO

from utils.sanitizing.sanitize import clean_text
from vectorstores.build.staging import Source
from vectorstores.errors import IngestError
from vectorstores.loaders.decoding import CP949, readable_name
from vectorstores.loaders.registry import loader_for
from vectorstores.storage.locks import FileLock

logger = logging.getLogger(__name__)

_FOLDER = "uploads"
_INCOMING = ".incoming"
_ARRIVING = "uploads.lock"
_BLOCK = 1 << 20
_DAY = 86_400.0
_EXPIRY_SECONDS = 30.0
_HEAD = 64 * 1024
_MAX_STEM = 60  # characters; a file name has at most 255 bytes, a Hangul syllable three
_UNSAFE = re.compile(r"[^\w.()\[\] -]+")
_SUFFIXES = (".tar.gz", ".tgz", ".pdf", ".jsonl", ".md", ".txt")
_PDF_MARK, _PDF_MARK_WITHIN = b"%PDF-", 1024  # readers accept what stands before it, so do we
_GZIP_MARK = b"\x1f\x8b"


class UploadRefused(Exception):
    """A file that is not taken in; the message is one sentence for its sender."""


class UnknownUploadFormat(UploadRefused):
    """… because its content is none of the formats, or not the one its name says."""


@dataclass(frozen=True, slots=True)
class StoredUpload:
    """A kept file. ``key`` is its path below the data directory, ``name`` what its sender calls it, made safe, though the same
    content may have been kept before under another one; ``is_new``: it was not there before."""

    key: str
    name: str
    needs_collection: bool
    is_new: bool


def upload_key(path: Path, data_dir: Path) -> str | None:
    """The key of a kept upload, which stays when the data directory moves; None for any other path."""
    resolved, root = path.resolve(), data_dir.resolve()
    return resolved.relative_to(root).as_posix() if resolved.is_relative_to(root / _FOLDER) else None


def source_of(path: Path, data_dir: Path, format_name: str | None = None, domain: str | None = None) -> Source:
    """A path to ingest under the name it always has in the manifest; raises `IngestError`."""
    key = upload_key(path, data_dir) or readable_name(str(path.resolve()))
    return Source(path, loader_for(path, format_name), key=key, domain=domain)


class UploadStore:
    """Keeps files; blocking."""

    def __init__(self, data_dir: Path) -> None:
        self._data_dir = data_dir
        self._root = data_dir / _FOLDER

    def keep(self, name: str, content: BinaryIO) -> StoredUpload:
        """Check and keep one file.

        Raises:
            UploadRefused: it is empty, or no format that can be ingested.
            OSError: it could not be written.
        """
        safe = safe_name(name)
        head = content.read(_HEAD)
        _check_content(head, safe)
        incoming = self._root / _INCOMING / secrets.token_hex(8)
        incoming.mkdir(parents=True)
        try:
            digest = _write(incoming / safe, head, content)
            try:
                loader = loader_for(incoming / safe)
            except IngestError as error:
                raise UnknownUploadFormat(f"{safe}: 받을 수 있는 문서 형식이 아닙니다.") from error
            kept, is_new = self._settle(incoming, digest)
        finally:
            shutil.rmtree(incoming, ignore_errors=True)
        return StoredUpload(kept.relative_to(self._data_dir).as_posix(), safe, loader.needs_collection, is_new)

    def arriving(self) -> FileLock:
        """To be held from the keeping of files until their job is on record: no process lets an upload expire meanwhile.

        Waits for one that does so just now. Raises OSError.
        """
        self._root.mkdir(parents=True, exist_ok=True)
        until = time.monotonic() + _EXPIRY_SECONDS
        while True:
            try:
                return FileLock(self._data_dir / _ARRIVING, shared=True)
            except BlockingIOError:
                if time.monotonic() > until:
                    raise
                time.sleep(0.01)

    def expire(self, needed: Callable[[], Collection[str]], days: float, at_once: Collection[str] = ()) -> bool:
        """Remove files kept longer than ``days``, those ``at_once`` however young, and what uploads that broke off have left.

        What ``needed`` gives, the keys that jobs still have to read, stays. False while files arrive, or where nothing can be
        removed: the next time will.
        """
        if not self._root.is_dir():
            return True
        try:
            with FileLock(self._data_dir / _ARRIVING, shared=False):
                before = time.time() - days * _DAY
                kept = needed()
                shutil.rmtree(self._root / _INCOMING, ignore_errors=True)
                for folder in self._root.iterdir():
                    keys = {file.relative_to(self._data_dir).as_posix() for file in folder.glob("*")}
                    is_due = folder.stat().st_mtime <= before or not keys.isdisjoint(at_once)
                    if folder.is_dir() and is_due and keys.isdisjoint(kept):
                        shutil.rmtree(folder, ignore_errors=True)
        except BlockingIOError:
            return False
        except OSError as error:
            logger.warning("old uploads cannot be removed: %s", error)
            return False
        return True

    def _settle(self, incoming: Path, digest: str) -> tuple[Path, bool]:
        """Move the finished folder to its place, unless the same content is there already, under whatever name."""
        folder = self._root / digest[:32]
        try:
            incoming.rename(folder)
            is_new = True
        except OSError:
            if not folder.is_dir():
                raise
            is_new = False
            os.utime(folder)
        return next(path for path in sorted(folder.iterdir()) if path.is_file()), is_new


def safe_name(name: str) -> str:
    """The last part of ``name`` as a file name of letters, digits and a few marks, with a known suffix in lower case."""
    last = re.split(r"[/\\]", clean_text(name.replace("\x00", "")))[-1].strip()
    suffix = next((suffix for suffix in _SUFFIXES if last.lower().endswith(suffix)), None)
    if suffix is None:
        raise UnknownUploadFormat(f"파일 이름은 {', '.join(_SUFFIXES)} 가운데 하나로 끝나야 합니다.")
    stem = _UNSAFE.sub("_", last[: -len(suffix)]).strip(". ")[:_MAX_STEM].strip(". ")
    return f"{stem or 'document'}{suffix}"


def _check_content(head: bytes, name: str) -> None:
    """Compare what the first bytes are with what the name says."""
    if not head.strip():
        raise UploadRefused(f"{name}: 빈 파일입니다.")
    if name.endswith(".pdf"):
        is_right = _PDF_MARK in head[:_PDF_MARK_WITHIN]
    elif name.endswith((".tar.gz", ".tgz")):
        is_right = head.startswith(_GZIP_MARK)
    else:
        text = _as_text(head)
        is_right = text is not None and (not name.endswith(".jsonl") or text.lstrip().startswith("{"))
    if not is_right:
        raise UnknownUploadFormat(f"{name}: 파일 내용이 이름의 형식과 다릅니다. 텍스트는 UTF-8로 저장해 주세요.")


def _as_text(head: bytes) -> str | None:
    """The bytes as text in one of the encodings loaders read, the last character perhaps cut; None for anything else."""
    if b"\x00" in head or head.startswith((_PDF_MARK, _GZIP_MARK)):
        return None
    for encoding in ("utf-8-sig", CP949):
        try:
            return codecs.getincrementaldecoder(encoding)().decode(head, final=False)
        except UnicodeDecodeError:
            continue
    return None


def _write(path: Path, head: bytes, rest: BinaryIO) -> str:
    """Write through to the disk; returns the SHA-256."""
    digest = hashlib.sha256()
    with path.open("xb") as file:
        block = head
        while block:
            digest.update(block)
            file.write(block)
            block = rest.read(_BLOCK)
        file.flush()
        os.fsync(file.fileno())
    return digest.hexdigest()
