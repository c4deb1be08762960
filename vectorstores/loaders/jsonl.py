"""Knowledge files: one `KnowledgeDocument` a line; a line of a statute (type ``law``) is cut by article."""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import zip_longest

from schemas.chat import Scalar
from utils.documents import KnowledgeDocument
from utils.law.article_numbers import article_order
from vectorstores.errors import IngestError
from vectorstores.loaders.base import LoadOptions, SourceDocument
from vectorstores.loaders.lines import LineLoader, line_files
from vectorstores.loaders.sniff import Probe
from vectorstores.storage.page_ids import PART_MARK

_HEADING = re.compile(r"^[^\S\n]*(제\d+조(?:의\d+)*)[^\S\n]*(?:\(([^\n]*)|(삭제)\b[^\n]*)?$", re.MULTILINE)
_SECTION = re.compile(r"^제\d+[편장절관](?:의\d+)?(?:[^\S\n][^\n]*)?$", re.MULTILINE)
_SUPPLEMENT = re.compile(r"^[^\S\n]*부 ?칙[^\S\n]*(?:<[^\n]*)?$", re.MULTILINE)
_NAMED = re.compile(r"\A\s*\[([^\[\]\n]{1,200})\]")
_ARTICLE_IN_TITLE = re.compile(r"제\d+(?:조|-)[^\n]*\Z")
# 제3조(정의)에 따른: a reference that happens to open a line
_GOES_ON = re.compile(r"에|의|를|을|와|과|로|및|또는|부터|까지|제\d|[,ㆍ·]")
_DELETED = re.compile(r"삭\s?제\s*(?:<[^<>\n]*>)?")


class JsonlLoader(LineLoader):
    """A line is a document as it is stored; ``--collection`` overrides its domain."""

    name = "jsonl"
    version = 3
    needs_collection = False

    def accepts(self, probe: Probe) -> bool:
        return bool(line_files(probe.path))

    def document(self, line: str, file: str, options: LoadOptions) -> KnowledgeDocument:
        document = KnowledgeDocument.model_validate_json(line)
        if options.domain is not None:
            return document.model_copy(update={"domain": options.domain})
        try:
            spec = options.collections.find(document.domain)
        except IngestError as error:
            raise ValueError(f"알 수 없는 domain입니다: {document.domain!r}") from error
        return document.model_copy(update={"domain": spec.domain})

    def cut(self, document: KnowledgeDocument, file: str) -> Iterator[SourceDocument]:
        articles = articles_of(document.content) if document.type == "law" else []
        if not articles:
            yield from super().cut(document, file)
        for article in articles:
            yield _article_document(document, article, file)


@dataclass(frozen=True, slots=True)
class PlainArticle:
    """An article in the plain text of a statute: 제3조의2, its title and what stands below."""

    number: str
    title: str
    text: str


def articles_of(content: str) -> list[PlainArticle]:
    """Return the articles of a statute's plain text in order, without its 부칙; empty where none is headed.

    A heading opens a line, as ``제3조(정의) …``, ``제3조`` alone or ``제3조 삭제``, and its number is higher than the one before.
    """
    supplement = _SUPPLEMENT.search(content)
    main = content[: supplement.start()] if supplement else content
    headings: list[tuple[re.Match[str], str, str]] = []
    for match in _HEADING.finditer(main):
        title, rest = _title(match)
        is_next = not headings or article_order(headings[-1][0][1]) < article_order(match[1])
        if is_next and (match[3] or (not _GOES_ON.match(rest) if title else not rest)):
            headings.append((match, title, rest))
    found = []
    for (match, title, rest), following in zip_longest(headings, headings[1:]):
        end = following[0].start() if following else len(main)
        text = _SECTION.sub("", f"{rest}\n{main[match.end() : end]}")
        again = f"{match[1]}({title})" if title else match[1]  # some files repeat the heading in the text
        lines = [line for part in text.split("\n") if (line := part.strip().removeprefix(again).strip())]
        if lines:
            found.append(PlainArticle(match[1], title, "\n".join(lines)))
    return found


def _title(match: re.Match[str]) -> tuple[str, str]:
    """Return the title in the parentheses behind the number, and the rest of the line."""
    if match[2] is None:
        return "", match[0].strip().removeprefix(match[1]).strip()
    depth = 1
    for at, character in enumerate(match[2]):
        depth += (character == "(") - (character == ")")
        if not depth:
            return match[2][:at].strip(), match[2][at + 1 :].strip()
    return "", match[2]


def _article_document(document: KnowledgeDocument, article: PlainArticle, file: str) -> SourceDocument:
    law = law_name(document)
    title = f"{law} {article.number}" + (f"({article.title})" if article.title else "")
    metadata: dict[str, Scalar] = {**document.metadata, "law": law, "article": article.number, "heading": article.title}
    if _DELETED.fullmatch(article.text):
        metadata["deleted"] = True
    cut = document.model_copy(
        update={
            "id": f"{document.id}{PART_MARK}{article.number}",
            "title": title,
            "content": article.text,
            "metadata": metadata,
        }
    )
    label = f"{law.replace(' ', '')}|{article.number}"
    return SourceDocument(cut, origin=file, heading=article.title, name=law, prefix=title, label=label)


def law_name(document: KnowledgeDocument) -> str:
    """Return the name of a line's statute: its metadata's ``law_name``, what heads its text in brackets, or its title."""
    named = document.metadata.get("law_name")
    if isinstance(named, str) and named.strip():
        return " ".join(named.split())
    headed = _NAMED.match(document.content)
    return headed[1].strip() if headed else _ARTICLE_IN_TITLE.sub("", document.title).strip() or document.title
