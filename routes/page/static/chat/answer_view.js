/** A question and its answer: sentences with their verdicts, sources beside them, next steps, and what stays unknown. */

import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { repeat } from "../vendor/lit-html/directives/repeat.js";
import { plainText, readAnswer } from "../shared/answer_text.js";
import { icon } from "../shared/icons.js";
import { feedbackRow } from "./feedback_view.js";
import { pieceText, sourceCard } from "./source_view.js";

const REPLACED = {
  retry: "다른 검색으로 다시 찾아 더 나은 답으로 바꿨습니다.",
  grounding: "출처가 뒷받침하지 않는 문장을 뺐습니다.",
  degraded: "모델이 멈춰, 문서의 문장을 골라 다시 썼습니다.",
};
const PARTS = {
  llm: "언어 모델",
  index: "지식 색인",
  vector: "의미 검색",
  bm25: "낱말 검색",
  rerank: "순위 조정",
  redis: "캐시",
  domain_db: "분야 설정",
  sessions: "대화 저장",
  notices: "공고",
  weights: "학습된 순서",
};
const ACTION_ICONS = { document_generation: "file", funding_search: "search", tax_calendar: "calendar", legal_consultation: "phone" };
const MOST_NEARBY = 3;

/**
 * A turn.
 * @param {object} turn
 * @param {{opened: Map<string, string>, isLast: boolean, busy: boolean}} view `opened`: by turn, the place of its open source
 * @param {object} acts what can be done; see `main.js`
 */
export function turnView(turn, view, acts) {
  return html`<section class="turn" aria-label="질문과 답변">
    <div class="asked"><h2><span class="sr">질문: </span>${turn.question}</h2>${turn.pictured ? html`<p class="muted">${icon("image")} 이미지와 함께</p>` : nothing}</div>
    <div class="answer" aria-busy=${turn.state === "waiting"}>
      ${degradedBanner(turn)} ${turn.replaced.map((reason) => html`<p class="note">${REPLACED[reason] ?? ""}</p>`)}
      ${answerText(turn, view, acts)} ${turn.state === "waiting" ? progress(turn) : nothing} ${problem(turn, acts, view)}
      ${turn.state === "stopped" ? html`<p class="note" role="status">답변을 멈췄습니다. 여기까지는 끝까지 확인되지 않은 내용일 수 있습니다.</p>` : nothing}
      ${turn.state === "done" ? html`${unknown(turn, acts)} ${checkLine(turn)} ${sourceList(turn, view, acts)}` : nothing}
      ${turn.actions.length && turn.state !== "failed" ? nextSteps(turn, acts) : nothing}
      ${turn.state === "waiting" ? nothing : toolbar(turn, view, acts)} ${view.isLast && turn.state === "done" ? followUps(turn, acts) : nothing}
    </div>
  </section>`;
}

function progress(turn) {
  return html`<p class="progress"><span class="pulse" aria-hidden="true"></span>${turn.status?.label ?? "연결하고 있습니다"}</p>`;
}

function degradedBanner(turn) {
  const degraded = turn.meta?.degraded ?? [];
  if (!degraded.length) return nothing;
  return html`<div class="banner" role="note">
    <strong>${icon("alert")}일부 기능 없이 답했습니다</strong>
    <ul>${degraded.map((one) => html`<li>${PARTS[one.component] ?? one.component}: ${one.reason}</li>`)}</ul>
  </div>`;
}

function answerText(turn, view, acts) {
  const byIndex = new Map(turn.sources.map((source) => [source.index, source]));
  const blocks = readAnswer(turn.content, turn.checks);
  const opened = view.opened.get(turn.id);
  return html`<div class="text">
    ${repeat(
      blocks,
      (block) => block.start,
      (block) => blockView(block, { turn, byIndex, opened, acts }),
    )}
  </div>`;
}

function blockView(block, { turn, byIndex, opened, acts }) {
  const open = openedSource(block, opened, byIndex);
  const said = block.sentences.map((sentence, number) => sentenceView(sentence, `${block.start}.${number}`, { turn, byIndex, opened, acts }));
  if (block.kind === "heading") return html`<h3 class="part">${said}</h3>`;
  return html`<div class="block ${block.kind} ${open ? "open" : ""}">
    <p>${said}</p>
    ${open ? sourceCard(open.source, plainText(open.sentence), { ...acts, close: () => acts.toggleSource(turn, opened) }) : nothing}
  </div>`;
}

function openedSource(block, opened, byIndex) {
  if (!opened) return null;
  const [place, index] = opened.split("#");
  const [start, number] = place.split(".").map(Number);
  const source = byIndex.get(Number(index));
  return start === block.start && source && block.sentences[number] ? { source, sentence: block.sentences[number] } : null;
}

function sentenceView(sentence, place, context) {
  const verdict = sentence.verdict?.verdict;
  const isCited = sentence.pieces.some((piece) => piece.kind === "cite");
  return html`<span class="sentence ${verdict ?? "unchecked"}"
    >${sentence.pieces.map((piece) => (piece.kind === "cite" ? citation(piece.index, place, context) : pieceText(piece, context.acts)))}${mark(sentence.verdict, isCited)}</span
  >`;
}

function citation(index, place, { turn, byIndex, opened, acts }) {
  const source = byIndex.get(index);
  if (!source) return html`<span class="cite missing">[${index}]</span>`;
  const key = `${place}#${index}`;
  return html`<button
    type="button"
    class="cite"
    aria-expanded=${opened === key}
    aria-label="출처 ${index} ${source.title}"
    @click=${() => acts.toggleSource(turn, key)}
  >
    ${index}
  </button>`;
}

function mark(verdict, isCited) {
  if (!verdict) return nothing;
  if (verdict.verdict === "supported") {
    return isCited ? html`<span class="mark ok" role="img" aria-label="근거 확인됨" title="출처와 대조해 확인했습니다">${icon("check")}</span>` : nothing;
  }
  if (verdict.verdict === "user_stated") {
    return html`<span class="mark told" title="말씀하신 수치: ${verdict.user_stated_claims.join(", ")}">말씀하신 수치</span>`;
  }
  if (verdict.verdict === "uncited") return html`<span class="mark bare" title="이 문장에는 출처가 없습니다">출처 없음</span>`;
  const claims = verdict.unsupported_claims.join(", ");
  return html`<span class="mark bad">${icon("alert")}출처에 없음${claims ? `: ${claims}` : ""}</span>`;
}

function unknown(turn, acts) {
  const missing = turn.meta?.asks?.filter((ask) => !ask.answered) ?? [];
  if (!missing.length) return nothing;
  return html`<div class="unknown">
    <strong>${icon("question")}${turn.sources.length ? "충분히 답하지 못했을 수 있는 것" : "문서에서 확인하지 못한 것"}</strong>
    <ul>
      ${missing.map(
        (ask) => html`<li>${ask.text}
          ${ask.nearest
            ? html`<div class="nearest">가장 가까운 안내: <button type="button" class="link" @click=${() => acts.ask(nearestQuestion(ask.nearest))}>${nearestName(ask.nearest)}</button></div>`
            : nothing}</li>`,
      )}
    </ul>
    <p class="muted">확실하지 않은 내용은 지어내지 않습니다. 담당 기관이나 전문가에게 확인해 주세요.</p>
  </div>`;
}

function checkLine(turn) {
  const sentences = turn.meta?.evaluation?.grounding.sentences ?? [];
  const count = (verdict) => sentences.filter((one) => one.verdict === verdict).length;
  const cited = sentences.filter((one) => one.verdict === "supported" && one.sources.length).length;
  const parts = [];
  if (cited) parts.push(html`<span class="ok">${icon("check")}문장 ${cited}개 출처와 대조함</span>`);
  if (count("uncited")) parts.push(html`<span>출처 없는 문장 ${count("uncited")}개</span>`);
  if (count("unsupported")) parts.push(html`<span class="bad">확인되지 않은 문장 ${count("unsupported")}개</span>`);
  return parts.length ? html`<p class="check-line">${parts}</p>` : nothing;
}

function sourceList(turn, view, acts) {
  if (!turn.sources.length) return nothing;
  return html`<details class="sources">
    <summary>출처 ${turn.sources.length}개</summary>
    <ol>
      ${turn.sources.map((source) => {
        const key = `list#${source.index}`;
        const isOpen = view.opened.get(turn.id) === key;
        return html`<li>
          <button type="button" class="link" aria-expanded=${isOpen} @click=${() => acts.toggleSource(turn, key)}>[${source.index}] ${source.title}</button>
          <span class="muted">${source.metadata.computed ? "계산" : source.source}</span>
          ${isOpen ? sourceCard(source, "", { ...acts, close: () => acts.toggleSource(turn, key) }) : nothing}
        </li>`;
      })}
    </ol>
  </details>`;
}

function nextSteps(turn, acts) {
  return html`<div class="next" role="group" aria-label="다음에 할 일">
    ${turn.actions.map(
      (action) => html`<button type="button" class="step" aria-haspopup="dialog" @click=${() => acts.openAction(action)}>
        ${icon(ACTION_ICONS[action.type] ?? "open")}<span><b>${action.label}</b><small>${action.description}</small></span>
      </button>`,
    )}
  </div>`;
}

function toolbar(turn, view, acts) {
  return html`<div class="toolbar">
    ${turn.content ? html`<button type="button" class="plain small" @click=${() => acts.copy(turn)}>${icon("copy")}복사</button>` : nothing}
    ${view.isLast ? html`<button type="button" class="plain small" ?disabled=${view.busy} @click=${() => acts.retry(turn)}>${icon("retry")}다시 답하기</button>` : nothing}
    ${turn.meta?.request_id ? feedbackRow(turn, acts) : nothing}
  </div>`;
}

function problem(turn, acts, view) {
  if (turn.state !== "failed") return nothing;
  return html`<div class="problem" role="alert">
    <strong>${icon("alert")}답하지 못했습니다</strong>
    <p>${turn.problem?.detail}</p>
    ${turn.problem?.errors?.map((error) => html`<p>${error.message}</p>`)}
    ${turn.problem?.requestId ? html`<p class="muted">문의할 때 알려 주세요: ${turn.problem.requestId}</p>` : nothing}
    ${turn.problem?.code === "unauthorized" ? html`<button type="button" @click=${acts.openKey}>API 키 입력</button>` : nothing}
  </div>`;
}

function nearestName({ section, title }) {
  return section ? `${section} (${title})` : title;
}

/** The section first: asked for by its document's title alone, another one would answer. */
function nearestQuestion({ section, title }) {
  return section ? `${section}, ${title}` : topicQuestion(title);
}

function topicQuestion(title) {
  return `${title}에 대해 알려주세요`;
}

function followUps(turn, acts) {
  const nearby = [...new Set(turn.nearby ?? [])].slice(0, MOST_NEARBY);
  if (turn.meta?.kind !== "consult" || !nearby.length) return nothing;
  return html`<div class="follow" role="group" aria-label="이어서 물어보기">
    <span class="muted">이어서 물어보기</span>
    ${nearby.map((title) => html`<button type="button" class="chip" @click=${() => acts.ask(topicQuestion(title))}>${title}</button>`)}
  </div>`;
}

/** The answer with its numbered sources, as a text to paste elsewhere. */
export function withCitations(turn) {
  const lines = turn.sources.map((source) => {
    const day = source.effective_date ? `, ${source.effective_date} 기준` : "";
    return `[${source.index}] ${source.title} (${source.source}${day})${source.url ? ` ${source.url}` : ""}`;
  });
  return [turn.question, "", turn.content.replaceAll("**", ""), ...(lines.length ? ["", "출처", ...lines] : [])].join("\n");
}
