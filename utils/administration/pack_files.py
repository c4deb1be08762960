"""The domain data as the files that ship: written out for an operator to edit, and read back whole."""

from __future__ import annotations

import re
import tomllib
from collections.abc import Mapping, Sequence
from pathlib import Path
from typing import Any

import tomli_w
from pydantic import ValidationError

from schemas.administration.domains import Domain, DomainFile, Rejection
from schemas.problems import FieldProblem
from utils.administration.domain_checks import EditRefused, checked_domain, checked_rejection, checked_set
from utils.http.validation_messages import message_of
from utils.routing.domain_pack import DomainDataError, DomainPack, Pack, PackSet, RejectionPack, load_pack_files
from utils.routing.domain_tables import pack_digest, pack_key

_REJECTIONS = "rejections/"
_SUFFIX = ".toml"
_LINE = re.compile(r"at line (\d{1,9})")


def exported(packs: PackSet, shipped: Path) -> list[DomainFile]:
    """Return a file for each pack. One that is as it ships is the file in ``shipped``, with its comments, byte for byte."""
    originals = _originals(shipped)
    files = []
    for pack in packs.all():
        name = file_name(pack)
        content = originals.get(pack_digest(pack)) or _written(pack)
        files.append(DomainFile(name=name, content=content))
    return files


def imported(files: Sequence[DomainFile]) -> PackSet:
    """Return the packs of files that make sense together.

    Raises:
        EditRefused: they do not; every path begins with the name of a file.
    """
    problems: list[FieldProblem] = []
    domains: list[DomainPack] = []
    rejections: list[RejectionPack] = []
    for file in sorted(files, key=lambda file: file.name):
        try:
            pack = _read(file)
        except EditRefused as refused:
            problems += refused.below(f"{file.name}:").problems
            continue
        if isinstance(pack, DomainPack):
            domains.append(pack)
        else:
            rejections.append(pack)
    names = [file.name for file in files]
    problems += [
        FieldProblem(path=name, message="같은 이름의 파일이 또 있습니다.")
        for name in sorted({name for name in names if names.count(name) > 1})
    ]
    if problems:
        raise EditRefused(problems)
    try:
        return checked_set(domains, rejections)
    except EditRefused as refused:
        raise EditRefused([_of_file(problem, rejections) for problem in refused.problems]) from refused


def file_name(pack: Pack) -> str:
    """Return the name of the file of a pack, below the folder of the domain data."""
    return f"{_REJECTIONS if isinstance(pack, RejectionPack) else ''}{pack_key(pack)}{_SUFFIX}"


def files_below(folder: Path) -> list[DomainFile]:
    """Return the files of the domain data in a folder. Raises OSError, and `DomainDataError` for what is no text or too long."""
    found = []
    for path in sorted([*folder.glob(f"*{_SUFFIX}"), *(folder / _REJECTIONS).glob(f"*{_SUFFIX}")]):
        try:
            content = path.read_text(encoding="utf-8")
            found.append(DomainFile(name=path.relative_to(folder).as_posix(), content=content))
        except ValueError as error:  # UnicodeDecodeError and ValidationError are
            raise DomainDataError(f"{path}: 읽을 수 있는 분야 파일이 아닙니다.") from error
    return found


def _originals(shipped: Path) -> dict[str, str]:
    """The texts of the files that ship, by the digest of their packs; none where they cannot be read."""
    try:
        packs = load_pack_files(shipped)
        return {pack_digest(pack): (shipped / file_name(pack)).read_text(encoding="utf-8") for pack in packs.all()}
    except (DomainDataError, OSError, UnicodeDecodeError):
        return {}


def _written(pack: Pack) -> str:
    values = pack.model_dump(mode="json", exclude_defaults=True)
    return tomli_w.dumps(values, multiline_strings=True)


def _read(file: DomainFile) -> Pack:
    try:
        values = tomllib.loads(file.content)
    except tomllib.TOMLDecodeError as error:
        line = _LINE.search(str(error))
        place = f" ({line[1]}번째 줄)" if line else ""
        raise EditRefused([FieldProblem(path="", message=f"TOML 형식이 아닙니다{place}.")]) from error
    model = Rejection if file.name.startswith(_REJECTIONS) else Domain
    try:
        given: Domain | Rejection = model.model_validate(values)
    except ValidationError as error:
        raise EditRefused([_problem(found) for found in error.errors()]) from error
    pack = checked_domain(given) if isinstance(given, Domain) else checked_rejection(given)
    if file_name(pack) != file.name:
        field = "key" if isinstance(pack, DomainPack) else "kind"
        raise EditRefused([FieldProblem(path=field, message="파일 이름과 같아야 합니다.")])
    return pack


def _problem(error: Mapping[str, Any]) -> FieldProblem:
    return FieldProblem(path=".".join(map(str, error["loc"])), message=message_of(error))


def _of_file(problem: FieldProblem, rejections: Sequence[RejectionPack]) -> FieldProblem:
    """A problem of the set, which names a pack, as that of its file."""
    key, _, field = problem.path.partition(".")
    folder = _REJECTIONS if key in {pack.kind for pack in rejections} and field.startswith("kind") else ""
    return problem.model_copy(update={"path": f"{folder}{key}{_SUFFIX}:{field}" if field else problem.path})
