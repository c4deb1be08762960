"""Patterns of orders to the model (prompt injection), for squeezed or folded text.

An order has three parts: whose instructions (the earlier ones, yours), a noun for them, and a verb in the imperative. Business
owners also ask about rules, orders and instructions that are cancelled or ignored: their nouns (취업규칙, 시정명령, 계약 내용) are
not in the patterns, and a question is no order.
Every repetition is bounded, so that each rule is linear in its text.
"""

from __future__ import annotations

import re

from utils.sanitizing.prompt_blocks import BLOCKS

_ROLES = (
    "system",
    "assistant",
    "user",
    "human",
    "developer",
    "instruction",
    "instructions",
    "context",
    "document",
    "prompt",
)
_TAGS = "|".join(sorted({*BLOCKS, *_ROLES}, key=len, reverse=True))

# In folded text: delimiters of prompts and of chat templates, and role labels that open a line.
DELIMITERS = re.compile(
    rf"<[ \t]{{0,8}}/?[ \t]{{0,8}}(?:{_TAGS})\b(?:[^<>\n]{{0,80}}>)?"
    r"|<\|[^|<>]{1,40}\|>|</?s>|\[/?(?:inst|sys|system|assistant)\]|<</?sys>>"
    r"|^[ \t#>*\[(-]{0,12}(?:system|assistant|developer)[ \t*\])]{0,4}:(?!\s{0,4}이?(?:라|란))"
    r"|^[ \t#>*\[(-]{0,12}(?:시스템|어시스턴트)[ \t*\])]{0,4}:"
    r"(?=[^\n]{0,80}?(?:지금부터|이제부터|너는|넌|당신은|따르|따라라|무시|프롬프트|라고답|라고 답))",
    re.MULTILINE,
)

# 하다 as an order; not in 하라고 하는, 해야 하나요, 해도 되나요, 해 버린.
_DO = r"(?:하(?:라|세요|셔요|십시오|시오|도록|렴|거라|길바|기바)|해(?:줘|주세요|주십시오|주시|줄래|라|봐|달라|요)|해(?=[.!,~…]|$))(?![고는며야])"
_JUST_DO = rf"(?:{_DO}|해(?![가-힣]{{0,2}}(?:도|서|야|온|왔|린|렸|봤|진|졌|질|당|주|준|줬|달)))"
_AND = r"(?:하고|하구|하며|하여|하되|한채|한뒤|한다음|해서)"
_ADVERBS = r"(?:모두|전부|다|완전히|싹|그냥|이제|더이상|절대|깡그리|몽땅|즉시|당장)*+"
_FULLY = r"(?:그대로|모두|전부|다|한글자도|한자도|빠짐없이|처음부터|끝까지|정확히|여기에?|지금|당장|즉시|먼저|전체|원문|원문그대로|영어로|코드로|내용){0,5}+"
_PARTICLE = r"(?:은|는|을|를|도|이|가|에)?"

# Whose: 이전의, 위에 있는 모든, 지금까지 받은; 너의, 당신이 받은.
_GIVEN = r"(?:의|에|에서|모든|있는|나온|적힌|받은|주신|준|내린|말한|입력된|설정된|주어진|네가|내가|당신이|너에게|당신에게|시스템|개발자|all|the|of){0,4}"
_EARLIER = (
    r"(?:이전|위|앞|앞선|기존|지금까지|여태까지|이제까지|여기까지|앞서|방금|상기|처음|최초|원래|모든|네|니|시스템|시스템의|개발자의|숨겨진"
    r"|previous|prior|above|earlier|system|all|initial)"
)
_YOUR = (
    r"(?:너의|당신의|귀하의|네|니|네가|니가|너에게|너한테|당신에게|당신한테|당신이|ai의|인공지능의|챗봇의|모델의|gpt의|your)"
    r"(?:받은|주어진|따르는|가진|설정된|있는|숨겨진|내부|모든|초기|최초|원래|시스템){0,3}"
)
# The names of the orders.
_PROMPT = r"(?:프롬프트|인스트럭션|(?:system)?prompts?|instructions?|(?:system)messages?)(?:들)?"
_ORDERS = rf"(?:{_PROMPT}|지시(?:사항|문|내용)?|지침|명령(?:어|문)?|규칙|가이드라인|제약(?:조건|사항)?|설정|rules?|guidelines?|directions?|commands?)(?:들)?"
_YOUR_ORDERS = rf"(?:{_ORDERS}|시스템?메시지|메시지|제한(?:사항)?|원칙|정책|역할|필터|검열|policy|restrictions?)(?:들)?"
_SAID = r"(?:내용|말|대화|문장|텍스트|글|것|질문|답변|설명|문맥|맥락|메시지|단어|context|text)(?:들)?"
# The verbs that bid to disobey.
_DISOBEY = (
    rf"(?:(?:무시|망각|거부|ignore|forget|disregard|skip)(?:{_JUST_DO}|(?P<and>{_AND}))"
    r"|잊(?:어(?:라|줘|주세요|버려|버리세요|버리십시오|버려라|(?=[.!,~]|$))|으세요|으십시오|도록|(?P<and2>고|어버리고))"
    r"|(?:따르|지키|듣|신경쓰|참고하|고려하)지(?:마|말)(?!라고|라는))"
)
_REMOVE = rf"(?:(?:삭제|취소|해제|초기화|제거|폐기|무효화|리셋|우회){_DO}|지워(?:라|줘|주세요|버려)|버려(?:라|줘)|끄(?:세요|도록)|꺼(?:라|줘))"
_TELL = (
    rf"(?:(?:출력|공개|반복|인쇄|유출|복사|나열|번역|설명|공유|제시|말|요약|print|show|reveal|repeat){_DO}"
    r"|(?:보여|알려|말해|적어|읊어|읽어|써|들려|넘겨)(?:줘|주세요|주십시오|줄래|달라|라|봐)(?![고는며야])"
    r"|(?:이|가|은|는)?(?:뭐|뭔|무엇)(?:야|니|지|인지|예요|에요|인가요|입니까|이니))"
)

# In squeezed text. The groups ``and`` and ``and2`` mark 무시하고, behind which the order has yet to come.
KOREAN_ORDERS = tuple(
    re.compile(pattern)
    for pattern in (
        rf"{_EARLIER}{_GIVEN}{_ORDERS}{_PARTICLE}{_ADVERBS}{_DISOBEY}",
        rf"{_YOUR}{_YOUR_ORDERS}{_PARTICLE}{_ADVERBS}{_DISOBEY}",
        rf"(?:위|앞|앞서|이전|지금까지|여기까지|여태까지|방금|상기){_GIVEN}{_SAID}{_PARTICLE}{_ADVERBS}{_DISOBEY}",
        rf"(?:{_PROMPT}|시스템(?:지시|지침|명령)(?:문|사항|어)?){_PARTICLE}{_ADVERBS}{_DISOBEY}",
        rf"(?:(?:너의|당신의|ai의|챗봇의|your){_GIVEN}{_YOUR_ORDERS}|시스템프롬프트|systemprompt){_PARTICLE}{_ADVERBS}{_REMOVE}",
        rf"(?:문서|출처|자료|근거)(?:들)?{_PARTICLE}{_ADVERBS}무시(?:하고|한채)(?=[^.?!\[\]]{{0,40}}?(?:답|대답|말){_DO})",
        rf"{_YOUR}{_YOUR_ORDERS}(?:의내용|내용|원문|전문)?{_PARTICLE}{_FULLY}{_TELL}",
        r"(?:시스템(?:프롬프트|지시문?|지시사항|지침|명령문|인스트럭션)|system(?:프롬프트|prompts?|instructions?|messages?)|프롬프트"
        r"|(?:처음에?|최초에?|위에서?|숨겨진|초기)(?:의|받은|주어진|설정된|입력된|시스템){0,3}(?:지시(?:문|사항)?|지침|명령문?|프롬프트|설정|메시지))"
        rf"(?:의내용|내용|원문|전문)?{_PARTICLE}{_FULLY}{_TELL}",
        rf"(?:위|앞|여기까지|이위|이문장앞|이전)(?:의|에|에있는|까지의|에나온|모든){{0,2}}(?:텍스트|문장|글|단어|메시지|내용|대화)(?:들)?{_PARTICLE}{_FULLY}"
        rf"(?:출력|반복|복사|인쇄|나열|print|repeat){_DO}",
        r"(?:개발자|관리자|탈옥|디버그|디버깅|무제한|god|dan|developer|admin)모드(?:를|로|에|로의)?"
        rf"(?:(?:전환|진입|활성화|실행|작동|시작){_DO}|켜(?:라|줘|주세요)(?![고는며야])|켜(?=[.!~]|$)|들어가(?:라|줘|세요)(?![고는며야]))",
        r"(?:내|나의|아래|다음의?|새로운|새)(?:지시|명령|말|지침|규칙)(?:사항)?(?:만|을|를|에)?"
        rf"(?:따르(?:라|세요|십시오|도록)|따라(?:라|줘)|따라(?=[.!,~]|$)|들어라|복종{_DO}|(?:수행|실행){_DO})(?![고는며])",
        r"(?<!뭐)(?<!무엇이)라고만?(?:대답|답|출력)(?:하라|해라|하시오|해(?=[.!~]|$))(?![고는며])",
    )
)
KOREAN_ROLES = tuple(
    re.compile(pattern)
    for pattern in (
        r"(?:너는|넌|당신은|네가|니가)[^.?!\[\]]{0,40}?(?:(?:제한|제약|규칙|검열|필터|윤리)(?:이|은|도|과[가-힣]{1,4}이)?없(?:는|이)"
        r"[^.?!\[\]]{0,10}?(?:ai|인공지능|챗봇|봇|모델|어시스턴트|비서|존재|상태|언어모델|gpt|해커|캐릭터)"
        r"|탈옥(?:한|된)?(?:모델|ai|상태|인공지능|챗봇|봇)|dan(?:이|으로|처럼|모드|입니다|역할|$)|(?:개발자|관리자|무제한)모드)",
    )
)
_ALL_OF = (
    r"(?:all|any|every|each|of|the|my|your|its|these|those|this|that|previous|prior|preceding|above|earlier|past|former|initial"
    r"|original|system|developer|safety|security|content|ethical|existing|current|given|hidden|secret|internal|and|other|built-?in|openai"
    r"|이전|위|위의|앞의|기존|모든|너의|당신의)"
)
_OWN = r"(?=(?:the|of|all|any|and|these|those|this|that|other|existing|current){0,4}(?:previous|prior|preceding|above|earlier|past|former|initial|original|your|system|developer|safety|hidden|secret|internal|given|instructions|prompts?|이전|위|앞|기존|모든|너의|당신의))"
_THINGS = rf"(?:instructions?|prompts?|rules?|guidelines?|directions?|directives?|messages?|commands?|constraints?|restrictions?|limitations?|programming|training|polic(?:y|ies)|context|conversation|safeguards?|{_ORDERS}|내용)"
_SPOKEN = r"(?:i|we|you|they)?(?:ve|have|has|had|was|were|been|are|is)?(?:just)?(?:said|told|wrote|written|stated|instructed|given|came|know|learned)?(?:to|by)?(?:you|me)?"
ENGLISH_ORDERS = tuple(
    re.compile(pattern)
    for pattern in (
        r"(?:ignore|disregard|forget|override|bypass|neglect|discard|overlook|(?:donot|dont|never|stop)(?:follow|obey|following|obeying))"
        rf"(?:about)?{_OWN}{_ALL_OF}{{0,6}}{_THINGS}",
        r"(?:ignore|disregard|forget|discard)(?:about)?(?:everything|all|anything|whatever|what)"
        rf"(?:that|which)?{_SPOKEN}(?:above|before|previously|earlier|prior|sofar|untilnow|upto(?:now|thispoint))",
        r"(?:reveal|print|show|output|repeat|display|leak|tell|give|share|dump|expose|recite|write|copy|paste|translate|whatis|whatare|whats|whatwere)"
        r"(?:me|us|out|down|back|verbatim|exactly|all|of|the|full|entire|complete|exact|contents?){0,5}"
        r"(?:(?:your|hidden|initial|original|secret|internal|developer|above|previous|first|own|system|full|exact|entire){1,4}"
        r"(?:prompts?|instructions?|messages?|rules|guidelines|directives|configuration)|prompt(?:above|verbatim))"
        r"(?!(?:for|on|about|to)[a-z])",
        r"(?:repeat|print|output|copy|recite|translate)(?:all|of|the|everything|every|back|out){0,4}(?:texts?|words?|lines?|contents?|messages?|conversation|everything|all)"
        r"(?:written|stated|that(?:is|was))?(?:above|before(?:this|these)|previously|sofar)",
        r"(?:enter|enable|activate|switchto|turnon)(?:the)?(?:developer|god|dan|debug|admin|jailbreak|unrestricted)mode",
        r"(?:youarenow|fromnowon,?you(?:are|re|will)|actas|pretend(?:tobe|youare)|roleplayas)[^.?!\[\]]{0,50}?"
        r"(?:dan(?![a-z])|jailbr(?:oken|eak)|unrestricted|uncensored|unfiltered|developermode|godmode"
        r"|(?:without|free(?:of|from)|no|not?boundby)(?:any|all)?(?:ethical|moral|safety|content)?(?:restrictions?|rules?|limits?|limitations?|filters?|guidelines?|censorship))",
    )
)
