/** Domain data: words and questions of a domain, and which domain a question would get, and why. */

import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { icon } from "../shared/icons.js";

const TIERS = { core: "그것만으로 충분한 말", common: "가리키는 말", context: "사업자가 묻는다는 말" };
const METHODS = { keyword: "낱말로", example: "대표 질문으로", vector: "뜻으로", article: "조문으로", unit: "답변 단위로", llm: "모델로" };

export function domainsSection(state, acts) {
  const { domains, domain } = state;
  return html`<div class="split">
    <section class="card" aria-labelledby="domain-title">
      <h2 id="domain-title">분야</h2>
      <label class="field"><span>고칠 분야</span><select @change=${(event) => acts.chooseDomain(event.target.value)}>
        ${domain ? nothing : html`<option value="">고르세요</option>`}
        ${domains.map((one) => html`<option value=${one.key} ?selected=${one.key === domain?.key}>${one.label} (문서 ${one.documents}건)</option>`)}
      </select></label>
      ${domain ? editor(state, acts) : html`<p class="muted">분야를 고르면 낱말과 대표 질문을 고칠 수 있습니다. 고친 것은 다음 질문부터 적용되고, 감사 기록에 남습니다.</p>`}
    </section>
    <section class="card aside" aria-labelledby="preview-title">
      <h2 id="preview-title">질문이 가는 분야</h2>
      <label class="field"><span>질문</span><textarea rows="2" maxlength="2000" .value=${state.asked} @input=${(event) => acts.preview(event.target.value)}></textarea></label>
      ${state.preview ? previewView(state.preview, domains) : html`<p class="muted">질문을 적으면 어느 분야로 가는지, 왜 그런지 바로 보여 줍니다.</p>`}
      ${state.trial ? trialView(state.trial, domains) : nothing}
    </section>
  </div>`;
}

function editor(state, acts) {
  const { domain } = state;
  const tiers = Object.keys(domain.keywords);
  return html`<p class="muted">${domain.description}</p>
    <h3>낱말</h3>
    <form class="row" @submit=${acts.addKeyword}>
      <label class="field grow"><span class="sr">더할 낱말</span><input name="word" required maxlength="60" placeholder="더할 낱말" /></label>
      <label class="inline"><span class="sr">무게</span><select name="tier">${tiers.map((tier) => html`<option value=${tier}>${TIERS[tier] ?? tier}</option>`)}</select></label>
      <button type="submit" name="try" ?disabled=${state.busy}>먼저 시험</button><button type="submit" name="add" class="primary" ?disabled=${state.busy}>더하기</button>
    </form>
    ${tiers.map(
      (tier) => html`<details><summary>${TIERS[tier] ?? tier} ${domain.keywords[tier].length}개</summary><ul class="words">
        ${domain.keywords[tier].map((word) => html`<li>${word}<button type="button" class="icon-button" aria-label="${word} 빼기" @click=${() => acts.dropKeyword(tier, word)}>${icon("close")}</button></li>`)}
      </ul></details>`,
    )}
    <h3>대표 질문</h3>
    <form class="row" @submit=${acts.addExample}>
      <label class="field grow"><span class="sr">더할 질문</span><input name="question" required maxlength="300" placeholder="이 분야로 와야 하는 질문" /></label>
      <button class="primary" ?disabled=${state.busy}>더하기</button>
    </form>
    <details><summary>${domain.examples.length}개</summary><ul class="form">
      ${domain.examples.map((question) => html`<li class="row"><span class="grow">${question}</span><button type="button" class="icon-button" aria-label="${question} 빼기" @click=${() => acts.dropExample(question)}>${icon("close")}</button></li>`)}
    </ul></details>`;
}

function labelOf(key, domains) {
  return domains.find((one) => one.key === key)?.label ?? key;
}

function previewView(preview, domains) {
  const chosen = preview.domains.map((key) => labelOf(key, domains)).join(", ");
  return html`<div role="status" class="form">
    <p><b>${chosen || "받지 않는 질문"}</b> <span class="muted">${METHODS[preview.method] ?? preview.method}, 확신 ${percent(preview.confidence)}</span></p>
    ${preview.read_as === preview.question ? nothing : html`<p class="muted">이렇게 읽음: ${preview.read_as}</p>`}
    <ul class="bars">
      ${preview.scores.map(
        (one) => html`<li class=${one.chosen ? "chosen" : ""}><span>${one.label}</span><meter min="0" max="1" value=${one.score} aria-label="${one.label} ${percent(one.score)}"></meter><span>${percent(one.score)}</span>
          ${one.matched.length ? html`<small class="muted">맞은 낱말: ${one.matched.join(", ")}</small>` : nothing}${one.excluded ? html`<small class="muted">다른 뜻이라는 단서가 있습니다</small>` : nothing}</li>`,
      )}
    </ul>
    <p class="muted">서비스가 받을 질문일 가능성 ${percent(preview.relevance)} (기준 ${percent(preview.relevance_threshold)})${preview.cues.length ? `, 받지 않을 단서: ${preview.cues.join(", ")}` : ""}</p>
    <details><summary>가까운 대표 질문</summary><ul>${preview.nearest.map((one) => html`<li><small>${one.question} <span class="muted">${labelOf(one.of, domains)} ${one.similarity.toFixed(2)}</span></small></li>`)}</ul></details>
    ${preview.model_decides ? html`<p class="note">실제 답변에서는 모델이 분야를 정합니다. 여기서는 규칙만 보여 줍니다.</p>` : nothing}
  </div>`;
}

function percent(share) {
  return `${Math.round(share * 100)}%`;
}

function trialView(trial, domains) {
  const tried = trial.sets.reduce((sum, one) => sum + (one.questions ?? one.tried ?? 0), 0);
  return html`<div class="note" role="status">
    <b>시험 결과: 분야가 달라지는 질문 ${trial.moved.length}건</b> ${tried ? html`<span class="muted">질문 ${tried}건으로 시험, 저장하지 않았습니다</span>` : nothing}
    <ul>${trial.moved.slice(0, 20).map((one) => html`<li><small>${one.question}: ${names(one.before, domains)} → ${names(one.after, domains)}</small></li>`)}</ul>
  </div>`;
}

function names(outcome, domains) {
  const keys = Array.isArray(outcome) ? outcome : (outcome?.domains ?? []);
  return keys.map((key) => labelOf(key, domains)).join(", ") || "받지 않음";
}
