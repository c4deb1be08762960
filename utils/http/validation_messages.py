"""Korean messages for pydantic's error types."""

from __future__ import annotations

from collections.abc import Mapping
from types import MappingProxyType
from typing import Any

_DEFAULT = "올바르지 않은 값입니다."
_MESSAGES: Mapping[str, str] = MappingProxyType(
    {
        "missing": "필수 항목입니다.",
        "extra_forbidden": "알 수 없는 항목입니다.",
        "string_type": "문자열이어야 합니다.",
        "string_unicode": "유니코드로 나타낼 수 없는 글자가 있습니다.",
        "before_start": "시작하는 날보다 앞설 수 없습니다.",
        "datetime_parsing": "시각(YYYY-MM-DDTHH:MM:SS+09:00)이어야 합니다.",
        "datetime_from_date_parsing": "시각(YYYY-MM-DDTHH:MM:SS+09:00)이어야 합니다.",
        "timezone_aware": "시간대가 있어야 합니다.",
        "hidden_character": "제어 문자나 보이지 않는 글자가 있습니다.",
        "nothing_visible": "읽을 수 있는 글자가 없습니다.",
        "string_too_short": "{min_length}자 이상이어야 합니다.",
        "string_too_long": "{max_length}자 이하여야 합니다.",
        "string_pattern_mismatch": "형식이 올바르지 않습니다.",
        "too_long": "{max_length}개 이하여야 합니다.",
        "too_short": "{min_length}개 이상이어야 합니다.",
        "literal_error": "허용된 값이 아닙니다.",
        "union_tag_invalid": "허용된 값이 아닙니다.",
        "union_tag_not_found": "종류를 밝혀야 합니다.",
        "not_supported": "지원하지 않는 기능입니다.",
        "enum": "허용된 값이 아닙니다.",
        "int_type": "정수여야 합니다.",
        "int_parsing": "정수여야 합니다.",
        "int_from_float": "정수여야 합니다.",
        "float_type": "숫자여야 합니다.",
        "float_parsing": "숫자여야 합니다.",
        "finite_number": "유한한 숫자여야 합니다.",
        "bool_type": "참 또는 거짓이어야 합니다.",
        "greater_than_equal": "{ge} 이상이어야 합니다.",
        "less_than_equal": "{le} 이하여야 합니다.",
        "list_type": "목록이어야 합니다.",
        "model_attributes_type": "객체여야 합니다.",
        "model_type": "객체여야 합니다.",
        "dict_type": "객체여야 합니다.",
        "day_too_far": "앞뒤 100년 안의 날짜여야 합니다.",
        "recursion_loop": "너무 깊이 겹친 값입니다.",
        "several_lines": "한 줄이어야 합니다.",
        "control_character": "문서에 쓸 수 없는 제어 문자가 있습니다. 지우고 다시 보내 주세요.",
        "reordering_character": "글의 방향을 바꾸는 보이지 않는 문자가 있습니다. 지우고 다시 보내 주세요.",
        "stacked_marks": "한 글자에 겹쳐 쓴 부호가 너무 많습니다.",
        "resident_number": "주민등록번호는 넣을 수 없습니다. 생년월일로 충분합니다(개인정보 보호법 제24조의2).",
    }
)


def message_of(error: Mapping[str, Any]) -> str:
    """The Korean sentence of one pydantic error; limits come from the schema, never a word from the input."""
    return _MESSAGES.get(error["type"], _DEFAULT).format_map(error.get("ctx") or {})
