"""A fifth domain, as an operator would write it: its file, questions that are not among its examples, and documents."""

from __future__ import annotations

from pathlib import Path

from tests.support.small_index import record

KEY = "farming"
LABEL = "농업·농촌"
PACK = """
key = "farming"
label = "농업·농촌"
agent_label = "영농 상담사"
description = "농지의 취득과 임대차와 전용, 농업경영체 등록, 공익직불금, 귀농, 농작물재해보험, 친환경 인증"
collection = "farming_db"
neighbours = ["law_common"]
search_hints = ["{region}"]
prompt = \"\"\"
당신은 농사를 짓는 사람을 돕는 영농 상담사입니다. 농지와 직불금과 농업경영체를 다룹니다.
신청 기관과 기한을 문서에 있는 만큼 밝힙니다.\"\"\"

rules = [["농사", "짓다"], ["논", "밭"], ["밭", "빌리다"], ["논", "빌리다"], ["농사", "등록"]]

examples = [
  "농지를 사려면 어떤 증명이 필요한가요?",
  "농지취득자격증명은 어디에서 발급받나요?",
  "농업경영체 등록은 어떻게 하나요?",
  "농업경영체 등록을 하면 무엇이 좋은가요?",
  "기본형 공익직불금은 누가 받을 수 있나요?",
  "소농직불금은 얼마를 받나요?",
  "직불금은 언제까지 신청해야 하나요?",
  "밭을 빌려서 농사를 지어도 되나요?",
  "농지를 다른 사람에게 빌려줄 수 있나요?",
  "논에 집을 지으려면 농지전용 허가를 받아야 하나요?",
  "농지보전부담금은 어떻게 계산하나요?",
  "귀농하면 받을 수 있는 교육이 있나요?",
  "농작물재해보험에는 언제 가입하나요?",
  "태풍으로 벼가 쓰러졌는데 보험금을 받나요?",
  "친환경 농산물 인증은 어디에 신청하나요?",
  "농사를 짓지 않는 농지는 팔아야 하나요?",
  "주말농장을 하려고 밭을 사도 되나요?",
  "비닐하우스를 지으려면 신고해야 하나요?",
]

[keywords]
core = [
  "농지", "농지취득자격증명", "농업경영체", "직불금", "공익직불", "소농직불금", "영농", "농지전용", "농지은행", "귀농",
  "농작물재해보험", "친환경 인증", "농지보전부담금", "농막", "주말농장", "농업인",
]
common = ["농사", "논", "밭", "벼", "비닐하우스", "작물", "농산물", "과수원", "농촌"]
context = ["마을", "이장", "수확"]

[chunking]
guide = "long"

[[actions]]
type = "document_generation"
label = "농업경영계획서 초안 만들기"
description = "농지취득자격증명을 신청할 때 내는 농업경영계획서 초안을 만듭니다."
keywords = ["농지+취득", "농지취득자격증명", "농지+사다"]
params = {document_type = "farming_plan"}
"""

QUESTIONS = (
    "농지취득자격증명을 발급받는 데 며칠이나 걸리나요?",
    "공익직불금을 받으려면 농업경영체 등록이 되어 있어야 하나요?",
    "농막을 설치하려면 어디에 신고하나요?",
    "농지은행에 농지를 맡기면 임대료를 받을 수 있나요?",
    "아버지 논을 물려받았는데 직접 농사를 짓지 않으면 어떻게 되나요?",
    "농작물재해보험 보험료는 나라에서 얼마나 지원하나요?",
    "귀농한 지 2년 됐는데 직불금을 신청할 수 있나요?",
    "농지를 주차장으로 쓰려면 농지전용 허가가 필요한가요?",
    "소농직불금과 면적직불금은 어떻게 다른가요?",
    "친환경 인증을 받은 농산물은 표시를 어떻게 하나요?",
)
"""Of the domain, and none of its examples."""

ASKED = QUESTIONS[0]
ANSWER = "농지취득자격증명은 신청한 날부터 7일 이내에 발급합니다(농지법 제8조)."


def write_fifth_domain(folder: Path) -> Path:
    """Write the file of the domain beside those that are there, in one step as an editor does."""
    path = folder / f"{KEY}.toml"
    part = path.with_suffix(".part")
    part.write_text(PACK, encoding="utf-8")
    part.rename(path)
    return path


def documents() -> list[dict[str, object]]:
    """Return what the domain knows, as lines of a knowledge file."""
    texts = {
        "FARM_PROOF": f"{ANSWER} 농업경영계획서를 내지 않는 신청은 4일 이내에 발급합니다.",
        "FARM_PAY": "기본형 공익직불금은 농업경영체로 등록한 농업인이 매년 5월 31일까지 읍·면·동 사무소에 신청합니다.",
        "FARM_HUT": "농막은 연면적 20제곱미터 이하로 설치하고, 시·군·구에 가설건축물 축조신고를 합니다.",
    }
    return [record(name, text, KEY, title=text.split(" ")[0]) for name, text in texts.items()]
