/** The dialog of a page: one at a time, modal, closed by Escape or its button. */

import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { repeat } from "../vendor/lit-html/directives/repeat.js";
import { icon } from "./icons.js";

/**
 * The dialog element; `tool` has a `title` and a `body`, both functions. With another title it begins at its top. Its title has the
 * focus at first: that is what a screen reader should say, and no button is pressed by an Enter that is held too long.
 */
export function dialogView(tool, close) {
  return html`<dialog id="dialog" aria-labelledby="dialog-title" @close=${close}>
    ${tool
      ? html`<header><h2 id="dialog-title" tabindex="-1" autofocus>${tool.title()}</h2><button type="button" class="icon-button" aria-label="닫기" @click=${(event) => event.target.closest("dialog").close()}>${icon("close")}</button></header>
          ${repeat([tool.title()], (title) => title, () => html`<div class="dialog-body">${tool.body()}</div>`)}`
      : nothing}
  </dialog>`;
}

/** Bring what has just come about into view, once it is drawn: `block` as `scrollIntoView` takes it. */
export function reveal(selector, block = "center") {
  const behavior = matchMedia("(prefers-reduced-motion: reduce)").matches ? "auto" : "smooth";
  requestAnimationFrame(() => requestAnimationFrame(() => document.querySelector(selector)?.scrollIntoView({ block, behavior })));
}

/** Show the dialog, or close it, as the state of the page says. */
export function syncDialog(isOpen) {
  const dialog = document.getElementById("dialog");
  if (!dialog) return;
  if (isOpen && !dialog.open) dialog.showModal();
  if (!isOpen && dialog.open) dialog.close();
}

/** A form for the API key; `saved` is called once one is kept. */
export function keyTool(keep, refused) {
  const submit = (event) => {
    event.preventDefault();
    const told = new FormData(event.target);
    keep(String(told.get("key")).trim(), told.has("remember"));
  };
  return {
    title: () => "API 키",
    body: () => html`<form class="form" @submit=${submit}>
      <p>${refused() ? "이 API 키로는 들어갈 수 없습니다. 키를 다시 확인해 주세요." : "이 서비스를 쓰려면 API 키가 필요합니다. 운영자에게 받은 키를 입력하세요."}</p>
      <label class="field"><span>API 키</span><input name="key" type="password" autocomplete="off" required spellcheck="false" /></label>
      <label class="field tick"><input name="remember" type="checkbox" /><span>이 브라우저에 저장 (함께 쓰는 기기에서는 켜지 마세요)</span></label>
      <div class="row end"><button class="primary">확인</button></div>
    </form>`,
  };
}
