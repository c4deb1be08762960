/** Whether an answer helped, and why not. */

import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { getJson } from "../shared/api.js";
import { icon } from "../shared/icons.js";

const REASONS = {
  not_answered: "물은 것에 답하지 않음",
  wrong: "틀린 내용",
  outdated: "지난 기준",
  incomplete: "빠진 내용",
  other_case: "내 경우와 다름",
  unclear: "알아듣기 어려움",
  other: "그 밖",
};

/** Keep a verdict on the answer of a turn. */
export async function giveFeedback(turn, helpful, reason, comment = "") {
  const json = { request_id: turn.meta.request_id, helpful, comment };
  if (reason) json.reason = reason;
  await getJson("api/feedback", { method: "POST", json });
  turn.feedback = { helpful, reason, sent: true };
}

/** The two buttons, and behind a “no” its reasons. */
export function feedbackRow(turn, acts) {
  const given = turn.feedback;
  const send = (event) => {
    event.preventDefault();
    const told = new FormData(event.target);
    acts.feedback(turn, false, told.get("reason"), String(told.get("comment") ?? "").trim());
  };
  return html`<span class="feedback" role="group" aria-label="답변 평가">
      <button type="button" class="plain small" aria-pressed=${given?.helpful === true} @click=${() => acts.feedback(turn, true)}>${icon("up")}도움이 됐어요</button>
      <button type="button" class="plain small" aria-pressed=${given?.helpful === false} @click=${() => acts.askReason(turn)}>${icon("down")}아쉬워요</button>
    </span>
    ${given?.sent ? html`<span class="muted" role="status">의견을 남겼습니다. 고맙습니다.</span>` : nothing}
    ${given?.asking
      ? html`<form class="reasons" @submit=${send}>
          <fieldset class="choices"><legend>무엇이 아쉬웠나요?</legend>
            ${Object.entries(REASONS).map(([value, label], number) => html`<label><input type="radio" name="reason" value=${value} ?checked=${number === 0} />${label}</label>`)}
          </fieldset>
          <label class="field"><span>더 하실 말씀 (개인정보는 가려서 저장합니다)</span><textarea name="comment" rows="2" maxlength="1000"></textarea></label>
          <div class="row end"><button class="primary small">의견 보내기</button></div>
        </form>`
      : nothing}`;
}
