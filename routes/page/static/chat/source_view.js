/** Sources, as they open beside the sentence that cites them, and the text of statutes. */

import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { getJson } from "../shared/api.js";
import { markQuoted, officialAddress, readPassage, webAddress } from "../shared/answer_text.js";
import { icon } from "../shared/icons.js";

const FORMULA = "계산식:";

/**
 * A source beside its sentence.
 * @param {object} source
 * @param {string} said the words of the sentence
 * @param {{close: () => void, openStatute: (reference: string) => void, recalculate: (name: string) => void}} acts
 */
export function sourceCard(source, said, acts) {
  const address = webAddress(source.url);
  const { computed, calculator, validity } = source.metadata;
  return html`<aside class="source ${computed ? "computed" : ""}" aria-label="출처 ${source.index}: ${source.title}">
    <header>
      <span class="number" aria-hidden="true">${source.index}</span>
      <h3>${source.title}</h3>
      <button type="button" class="icon-button" aria-label="출처 ${source.index} 닫기" @click=${acts.close}>${icon("close")}</button>
    </header>
    <p class="origin">
      ${computed ? "질문의 숫자로 계산한 결과" : source.source}${source.effective_date ? html` · <span>${computed ? "기준일" : "시행·기준일"} <time datetime=${source.effective_date}>${dateText(source.effective_date)}</time></span>` : nothing}
    </p>
    ${validity ? html`<p class="note">${validity}</p>` : nothing}
    ${source.content ? (computed ? calculation(source) : passages(source, said, acts)) : html`<p class="muted">이 출처의 본문은 이 브라우저에 없습니다.</p>`}
    ${source.metadata.related_laws ? statutes(source.metadata.related_laws, acts) : nothing}
    <footer>
      ${computed && calculator ? html`<button type="button" class="small" @click=${() => acts.recalculate(calculator)}>${icon("tools")}숫자를 바꿔 계산</button>` : nothing}
      ${address && !computed ? html`<a class="small button" href=${address} target="_blank" rel="noopener noreferrer">${icon("open")}원문 보기</a>` : nothing}
    </footer>
  </aside>`;
}

function dateText(day) {
  const [year, month, date] = day.split("-").map(Number);
  return date ? `${year}년 ${month}월 ${date}일` : day;
}

function calculation(source) {
  const lines = source.content.split("\n").filter((line) => line.trim() && !line.startsWith("근거:"));
  return html`<div class="passages">
    ${lines.map((line) =>
      line.startsWith(FORMULA)
        ? html`<p class="formula"><span>계산식</span>${line.slice(FORMULA.length).trim()}</p>`
        : html`<p class=${/[=×÷]/u.test(line) ? "step" : ""}>${line}</p>`,
    )}
  </div>`;
}

function passages(source, said, acts) {
  const all = markQuoted(source.content, said);
  const quoted = all.findIndex((passage) => passage.quoted);
  const shown = (passage) => html`<p>${passage.quoted ? html`<mark>${passageText(passage.text, acts)}</mark>` : passageText(passage.text, acts)}</p>`;
  if (quoted < 0) return html`<div class="passages scroll" tabindex="0" role="group" aria-label="출처 본문">${all.map(shown)}</div>`;
  const rest = all.filter((_, number) => number !== quoted);
  return html`<div class="passages">${shown(all[quoted])}
    ${rest.length ? html`<details><summary>본문 전체</summary><div class="scroll" tabindex="0" role="group" aria-label="출처 본문">${all.map(shown)}</div></details>` : nothing}
  </div>`;
}

function passageText(text, acts) {
  return readPassage(text).map((piece) => pieceText(piece, acts));
}

/** A piece of text: a statute can be opened, all else is said. */
export function pieceText(piece, acts) {
  if (piece.kind === "statute") return statuteLink(piece.text, acts);
  if (piece.kind === "cite") return `[${piece.index}]`;
  return piece.bold ? html`<strong>${piece.text}</strong>` : piece.text;
}

export function statuteLink(reference, acts) {
  // a link, since a button would not break across lines; it leads to the official text where no script shows ours
  const open = (event) => {
    event.preventDefault();
    acts.openStatute(reference);
  };
  return html`<a class="statute" href=${officialAddress(reference) || "#"} aria-haspopup="dialog" @click=${open}>${reference}</a>`;
}

function statutes(list, acts) {
  const references = String(list)
    .split(/,\s*/u)
    .filter((one) => /제\d+조/u.test(one));
  if (!references.length) return nothing;
  return html`<details class="laws"><summary>근거 조문 ${references.length}개</summary><ul>${references.map((one) => html`<li>${statuteLink(one, acts)}</li>`)}</ul></details>`;
}

/** The articles that a reference cites. */
export function loadStatute(reference) {
  return getJson(`api/articles?reference=${encodeURIComponent(reference)}`);
}

/** The text of a statute in a dialog: what is known of it, and where it can be read officially. */
export function statuteView(reference, state) {
  const official = officialAddress(reference);
  const link = official ? html`<a class="button" href=${official} target="_blank" rel="noopener noreferrer">${icon("open")}국가법령정보센터에서 보기</a>` : nothing;
  if (state.error) return html`<p class="problem" role="alert">${state.error}</p><div class="row">${link}</div>`;
  if (!state.found) return html`<p class="muted" role="status">조문을 찾고 있습니다…</p>`;
  const { articles, missing } = state.found;
  return html`${articles.map(
      (article) => html`<article class="statute-text">
        <h3>${article.title}</h3>
        <p class="origin">${article.source}${article.effective_date ? html` · 시행 <time datetime=${article.effective_date}>${dateText(article.effective_date)}</time>` : nothing}${article.deleted ? " · 삭제된 조문" : ""}</p>
        ${article.content
          .split("\n")
          .filter((line) => line.trim())
          .map((line) => html`<p>${article.clause_content && article.clause_content.includes(line.trim()) ? html`<mark>${line}</mark>` : line}</p>`)}
      </article>`,
    )}
    ${missing.map((one) => html`<p class="note">${one.detail}</p>`)}
    ${!articles.length && !missing.length ? html`<p class="note">이 조문을 찾지 못했습니다.</p>` : nothing}
    <div class="row">${link}</div>`;
}
