/** The page around the conversation: header, welcome, history, settings and the box to write in. */

import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { icon } from "../shared/icons.js";
import { titleOf } from "./conversations.js";
import { loadProfile, profileSummary } from "./profile.js";

const EXAMPLES = [
  "부가가치세는 언제까지 신고해야 하나요?",
  "직원이 네 명인데 연차를 줘야 하나요?",
  "시급 11,000원, 주 5일 하루 5시간 일하는 알바 주휴수당이 얼마예요?",
  "카페를 열려고 해요. 사업자등록은 어떻게 하나요?",
];
const MOST_EXAMPLES = 4;

export function headerView(state, acts) {
  const button = (name, label, act) => html`<button type="button" class="nav" aria-haspopup="dialog" @click=${act}>${icon(name)}<span>${label}</span></button>`;
  return html`<header class="top">
    <a class="skip" href="#question">질문 칸으로 가기</a>
    <div class="bar">
      <h1 class="brand"><span class="logo" aria-hidden="true">B</span>Bizi</h1>
      ${state.assistants.length > 1
        ? html`<label class="assistant"><span class="sr">비서</span><select @change=${(event) => acts.chooseAssistant(event.target.value)}>
            ${state.assistants.map((one) => html`<option value=${one.name} ?selected=${one.name === state.assistant.name} ?disabled=${!one.ready}>${one.label}${one.ready ? "" : " (준비 중)"}</option>`)}
          </select></label>`
        : nothing}
      <nav aria-label="주 메뉴">
        ${button("plus", "새 대화", acts.startAnew)} ${button("chats", "지난 대화", acts.openHistory)} ${button("tools", "도구", acts.openTools)}
        ${button("company", "내 회사", acts.openProfile)} ${button("settings", "설정", acts.openSettings)}
      </nav>
    </div>
  </header>`;
}

export function welcomeView(state, acts) {
  const { assistant } = state;
  const own = assistant.is_default ? [...new Set([...assistant.examples, ...EXAMPLES])] : assistant.examples;
  return html`<section class="welcome">
    <h2>${assistant.is_default ? "사장님, 무엇이 궁금하세요?" : assistant.label}</h2>
    <p>${assistant.description}</p>
    <ul class="promises">
      <li>${icon("check")}문장마다 출처를 대고, 숫자와 조문을 출처와 대조합니다.</li>
      <li>${icon("question")}문서에 없으면 지어내지 않고 없다고 말합니다.</li>
    </ul>
    <div class="examples" role="group" aria-label="질문 예시">
      ${own.slice(0, MOST_EXAMPLES).map((example) => html`<button type="button" class="example" @click=${() => acts.ask(example)}>${example}</button>`)}
    </div>
    ${assistant.needs.filter((need) => !need.is_met).map((need) => html`<p class="banner">${need.remedy}</p>`)}
  </section>`;
}

export function composerView(state, acts) {
  const { assistant, busy } = state;
  const company = profileSummary(loadProfile());
  const takes = (medium) => assistant.takes.includes(medium);
  const pick = (take) => (event) => {
    const [file] = event.target.files;
    event.target.value = "";
    if (file) take(file);
  };
  return html`<form class="composer" @submit=${acts.submit}>
    ${state.offline ? html`<p class="banner" role="status">${icon("alert")}인터넷에 연결되어 있지 않습니다. 지난 대화는 그대로 읽을 수 있습니다.</p>` : nothing}
    ${state.notice ? html`<p class="note" role="alert">${state.notice}</p>` : nothing}
    ${company ? html`<button type="button" class="context" @click=${acts.openProfile}>${icon("company")}${company} 기준으로 답합니다</button>` : nothing}
    ${state.image ? html`<p class="picked"><img src=${state.image} alt="올릴 이미지" /><button type="button" class="plain small" @click=${acts.dropImage}>이미지 빼기</button></p>` : nothing}
    <div class="box">
      ${takes("image") ? html`<label class="icon-button" title="이미지 넣기">${icon("image")}<span class="sr">이미지 넣기</span><input class="sr" type="file" accept="image/*" @change=${pick(acts.addImage)} /></label>` : nothing}
      ${takes("voice") ? html`<label class="icon-button" title="음성으로 묻기">${icon("voice")}<span class="sr">음성 파일로 묻기</span><input class="sr" type="file" accept="audio/*" capture @change=${pick(acts.addVoice)} /></label>` : nothing}
      <label class="sr" for="question">질문</label>
      <textarea id="question" rows="1" maxlength="2000" placeholder="예: 알바생 퇴직금도 줘야 하나요?" @keydown=${acts.keydown} @input=${acts.typed}></textarea>
      ${busy
        ? html`<button type="button" class="send stop" aria-label="답변 멈추기" @click=${acts.stop}>${icon("stop")}</button>`
        : html`<button class="send" aria-label="질문 보내기">${icon("send")}</button>`}
    </div>
    <p class="fine">답변은 문서에 근거한 안내이며 법률·세무 자문을 대신하지 않습니다.</p>
  </form>`;
}

export function historyTool(state, acts) {
  return {
    title: () => "지난 대화",
    body: () => html`<p class="muted">이 브라우저에 저장된 대화입니다. 서비스에도 정해진 기간 동안 남습니다.</p>
      <ul class="menu">
        ${state.history.map(
          (one) => html`<li class="row">
            <button type="button" class="grow" @click=${() => acts.openConversation(one)}><b>${titleOf(one)}</b><small>${new Date(one.updated).toLocaleString("ko-KR", { dateStyle: "medium", timeStyle: "short" })}${one.remote ? " · 서비스에 저장됨" : ""}</small></button>
            <button type="button" class="icon-button" aria-label="대화 지우기: ${titleOf(one)}" @click=${() => acts.deleteConversation(one)}>${icon("trash")}</button>
          </li>`,
        )}
      </ul>
      ${state.history.length ? nothing : html`<p>아직 대화가 없습니다.</p>`}`,
  };
}

export function toolsTool(acts) {
  const tools = [
    ["tools", "계산기", "주휴수당, 퇴직금, 4대보험, 부가세 등", acts.openCalculators],
    ["file", "문서 만들기", "근로계약서, 임금명세서, 내용증명 등", acts.openDocuments],
    ["calendar", "세금 일정", "다음 신고·납부 기한을 달력으로", acts.openCalendar],
    ["search", "지원사업 찾기", "지역과 업력에 맞는 공고", acts.openFunding],
  ];
  return {
    title: () => "도구",
    body: () => html`<ul class="menu">${tools.map(([name, label, note, act]) => html`<li><button type="button" @click=${act}>${icon(name)}<span><b>${label}</b><small>${note}</small></span></button></li>`)}</ul>`,
  };
}

export function settingsTool(theme, acts) {
  const themes = { auto: "기기 설정대로", light: "밝게", dark: "어둡게" };
  return {
    title: () => "설정",
    body: () => html`<div class="form">
      <fieldset class="choices"><legend>화면</legend>
        ${Object.entries(themes).map(([value, label]) => html`<label><input type="radio" name="theme" value=${value} .checked=${theme() === value} @change=${() => acts.setTheme(value)} />${label}</label>`)}
      </fieldset>
      <div class="row"><button type="button" @click=${acts.openKey}>API 키 바꾸기</button><a class="button" href="ops">운영자 화면</a></div>
    </div>`,
  };
}
