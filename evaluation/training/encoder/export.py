"""Trained vectors as the small files that ship (`vectorstores.embedders.static_encoder`), with the record of their origin."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from pathlib import Path

import numpy as np
import orjson

from utils.protocols import FloatMatrix
from vectorstores.embedders.static_encoder import DIMENSION, ROWS_FILE, SCALES_FILE, TERMS_FILE
from vectorstores.loaders.files import path_sha256

ORIGIN_FILE = "origin.json"


def compacted(vectors: FloatMatrix, dimension: int = DIMENSION) -> FloatMatrix:
    """The vectors along their leading principal axes, shape ``(terms, dimension)``.

    So all of Kiwi's words fit into the file: 232 of 256 axes keep 97 % of the squared length.
    """
    _, axes = np.linalg.eigh(vectors.T.astype(np.float64) @ vectors)
    leading: FloatMatrix = vectors @ axes[:, : -dimension - 1 : -1].astype(np.float32)
    return leading


def write_encoder(directory: Path, terms: Sequence[str], vectors: FloatMatrix, origin: Mapping[str, object]) -> None:
    """Write the files and the record, to which the files' sizes and hashes are added."""
    directory.mkdir(parents=True, exist_ok=True)
    order = sorted(range(len(terms)), key=lambda row: terms[row].encode())
    scales = (np.abs(vectors).max(axis=1) / 127.0).astype(np.float16)
    steps = np.divide(1.0, scales, out=np.zeros(len(scales), dtype=np.float32), where=scales > 0, dtype=np.float32)
    rows = np.clip(np.rint(vectors * steps[:, None]), -127, 127).astype(np.int8)
    (directory / TERMS_FILE).write_text("".join(f"{terms[row]}\n" for row in order), encoding="utf-8")
    np.save(directory / ROWS_FILE, rows[order], allow_pickle=False)
    np.save(directory / SCALES_FILE, scales[order], allow_pickle=False)
    files = {name: file_record(directory / name) for name in (TERMS_FILE, ROWS_FILE, SCALES_FILE)}
    record = orjson.dumps({**origin, "files": files}, option=orjson.OPT_INDENT_2)
    (directory / ORIGIN_FILE).write_bytes(record + b"\n")


def file_record(path: Path) -> dict[str, object]:
    return {"bytes": path.stat().st_size, "sha256": path_sha256(path)}
