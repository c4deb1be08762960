"""Ids of the pages of PDF files.

A page is a document: ``PDF_{first 16 of the file's hash}#{page}``; what stands before the ``#`` names the whole file. A
passage of it is ``{page}_{index}_{hash10}``, both numbers as a reader of the original would give them to a chunk: the page
from 1, the index from 0. The hash is over the file's hash and the passage, so that ids stay unique where two editions of
one file share whole pages.
"""

from __future__ import annotations

import hashlib

PDF_ID_PREFIX = "PDF_"
PART_MARK = "#"


def file_document_id(file_hash: str) -> str:
    """The id all pages of a file share."""
    return f"{PDF_ID_PREFIX}{file_hash[:16]}"


def page_document_id(file_hash: str, page: int) -> str:
    return f"{file_document_id(file_hash)}{PART_MARK}{page}"


def page_chunk_id(file_hash: str, page: int, index: int, text: str) -> str:
    digest = hashlib.sha256(f"{file_hash}\0{text}".encode()).hexdigest()
    return f"{page}_{index}_{digest[:10]}"


def is_page_chunk(document_id: str, chunk_id: str) -> bool:
    """Return True if a chunk is a passage of a page; all other chunks are named after their document."""
    return document_id.startswith(PDF_ID_PREFIX) and not chunk_id.startswith(document_id)


def parse_page_chunk_id(chunk_id: str) -> tuple[int, str]:
    """``(index, hash10)`` of a passage of a page."""
    _, index, digest = chunk_id.split("_")
    return int(index), digest
