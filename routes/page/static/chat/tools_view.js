/** What an answer offers to do: documents, calculators, deadlines and notices, each in a dialog. */

import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { ApiError, getJson, request, saveFile } from "../shared/api.js";
import { webAddress } from "../shared/answer_text.js";
import { reveal } from "../shared/dialog.js";
import { icon } from "../shared/icons.js";
import { errorsByPath, filled, schemaFields } from "../shared/schema_form.js";
import { loadProfile, profileContext } from "./profile.js";

const FORMATS = { docx: "Word", hwpx: "한글", pdf: "PDF" };
const KINDS = { general: "일반과세자", simplified: "간이과세자", exempt: "면세사업자", corporation: "법인", employer: "직원을 둔 사업자" };

/** Run a request of a dialog. What comes of it, or goes wrong, is told in it and brought into view: forms are longer than a phone. */
async function attempt(state, changed, work) {
  Object.assign(state, { busy: true, problem: "", errors: {} });
  changed();
  try {
    await work();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    state.errors = errorsByPath(error);
    state.problem = error.errors.length ? error.errors.map(({ message }) => message).join(" ") : error.message;
  }
  state.busy = false;
  changed();
  reveal("#dialog .outcome > :last-child");
}

function problemLine(state) {
  return state.problem ? html`<p class="problem" role="alert">${state.problem}</p>` : nothing;
}

/** A dialog with a form for a document; `params` are those of the action. */
export async function documentTool(params, changed) {
  const { types } = await getJson("api/documents/types");
  const state = { errors: {}, problem: "", busy: false, values: structuredClone(params.fields ?? {}), format: "docx", check: null, saved: "" };
  let type = types.find((one) => one.type === params.type);
  const choose = (name) => {
    type = types.find((one) => one.type === name);
    Object.assign(state, { values: {}, check: null, saved: "", errors: {}, problem: "" });
    changed();
  };
  const body = (dryRun) => ({ type: type.type, format: state.format, fields: filled(state.values), dry_run: dryRun });
  const check = () => attempt(state, changed, async () => (state.check = await getJson("api/documents/generate", { method: "POST", json: body(true) })));
  const make = (event) => {
    event.preventDefault();
    attempt(state, changed, async () => {
      state.saved = "";
      const response = await request("api/documents/generate", { method: "POST", json: body(false) });
      state.saved = await saveFile(response, `${type.label}.${state.format}`);
    });
  };
  const known = Object.keys(params.fields ?? {});
  return {
    title: () => type?.label ?? "문서 만들기",
    body: () => {
      if (!type) return choices(types.map((one) => ({ name: one.type, label: one.label, note: one.description })), choose);
      const errors = Object.fromEntries(Object.entries(state.errors).map(([path, message]) => [path.replace(/^fields\./u, ""), message]));
      return html`<form class="form" @submit=${make}>
        <p class="muted">${type.description}. 비운 칸은 손으로 적을 수 있게 남습니다.</p>
        ${schemaFields(type.fields_schema, state.values, { changed, errors, few: Object.keys(type.fields_schema.properties).length <= 12, first: known })}
        <div class="outcome form">
          ${state.check ? checkResult(state.check) : nothing} ${problemLine(state)}
          ${state.saved ? html`<p class="done" role="status">${icon("check")}${state.saved} 파일을 저장했습니다. 서명하기 전에 내용을 꼭 확인하세요.</p>` : nothing}
        </div>
        <div class="row end sticky">
          <label class="inline">형식 <select @change=${(event) => (state.format = event.target.value)}>
            ${["docx", "hwpx", "pdf"].filter((one) => type.formats.includes(one)).map((one) => html`<option value=${one} ?selected=${one === state.format}>${FORMATS[one]}</option>`)}
          </select></label>
          <button type="button" ?disabled=${state.busy} @click=${check}>확인만 하기</button>
          <button class="primary" ?disabled=${state.busy}>${icon("file")}문서 받기</button>
        </div>
      </form>`;
    },
  };
}

function checkResult(check) {
  const notes = (list) => html`<ul>${list.map((note) => html`<li>${note.message}${note.article ? html` <span class="muted">(${note.article})</span>` : nothing}</li>`)}</ul>`;
  return html`<div class="note" role="status">
    ${check.warnings.length ? html`<strong>확인할 것</strong>${notes(check.warnings)}` : nothing}
    ${check.missing.length ? html`<strong>법이 적으라고 정했는데 비어 있는 것</strong>${notes(check.missing)}` : nothing}
    ${check.warnings.length || check.missing.length ? nothing : "빠진 것이 없습니다."}
  </div>`;
}

function choices(list, choose) {
  return html`<ul class="menu">${list.map((one) => html`<li><button type="button" @click=${() => choose(one.name)}><b>${one.label}</b>${one.note ? html`<small>${one.note}</small>` : nothing}</button></li>`)}</ul>`;
}

/** A dialog with a calculator, or the list of them. */
export async function calculatorTool(name, changed) {
  const { calculators } = await getJson("api/calculate");
  const state = { errors: {}, problem: "", busy: false, values: {}, result: null };
  let chosen = calculators.find((one) => one.name === name);
  const calculate = (event) => {
    event.preventDefault();
    attempt(state, changed, async () => {
      state.result = null;
      state.result = await getJson(chosen.path.replace(/^\//u, ""), { method: "POST", json: filled(state.values) });
    });
  };
  const choose = (key) => {
    chosen = calculators.find((one) => one.name === key);
    changed();
  };
  return {
    title: () => (chosen ? `${chosen.label} 계산` : "계산기"),
    body: () =>
      chosen
        ? html`<form class="form" @submit=${calculate}>
            ${schemaFields(chosen.input_schema, state.values, { changed, errors: state.errors, requiredFirst: true })}
            <div class="row end"><button class="primary" ?disabled=${state.busy}>계산하기</button></div>
            <div class="outcome">${problemLine(state)} ${state.result ? calculated(state.result) : nothing}</div>
          </form>`
        : choices(calculators.map((one) => ({ name: one.name, label: one.label })), choose),
  };
}

function calculated(result) {
  return html`<div class="source computed" role="status">
    <p class="conclusion">${result.conclusion}</p>
    <p class="formula"><span>계산식</span>${result.formula}</p>
    ${result.steps.map((step) => html`<p class="step">${step}</p>`)}
    ${result.assumptions.map((one) => html`<p class="muted">${one}</p>`)} ${result.notices.map((one) => html`<p class="muted">${one}</p>`)}
    <p class="origin">근거 ${result.laws.join(", ")} · 기준일 ${result.on}</p>
  </div>`;
}

/** A dialog with the deadlines of the next months. */
export async function calendarTool(params, changed) {
  const state = { errors: {}, problem: "", busy: false, kinds: [], found: null };
  const query = () => new URLSearchParams([["months", "6"], ...state.kinds.map((kind) => ["kind", kind])]).toString();
  const load = () => attempt(state, changed, async () => (state.found = await getJson(`api/tax-calendar?${query()}`)));
  const save = () => attempt(state, changed, async () => saveFile(await request(`api/tax-calendar.ics?${query()}`), "세금일정.ics"));
  const toggle = (kind) => {
    state.kinds = state.kinds.includes(kind) ? state.kinds.filter((one) => one !== kind) : [...state.kinds, kind];
    load();
  };
  await load();
  return {
    title: () => "세금 일정",
    body: () => html`<div class="form">
      ${params.due_date ? html`<p class="note"><b>${params.name}</b>: ${dayText(params.due_date)}까지 <span class="muted">(${params.law})</span></p>` : nothing}
      <fieldset class="choices"><legend>어떤 사업자인가요?</legend>
        ${Object.entries(KINDS).map(([kind, label]) => html`<label><input type="checkbox" .checked=${state.kinds.includes(kind)} @change=${() => toggle(kind)} />${label}</label>`)}
      </fieldset>
      ${problemLine(state)}
      <ol class="deadlines">
        ${state.found?.entries.map(
          (one) => html`<li class=${one.due === params.due_date && one.name === params.name ? "asked-for" : ""}>
            <time datetime=${one.due}>${dayText(one.due)}</time>
            <div><b>${one.name}</b><small>${one.binds} · ${one.law}${one.moved_by ? ` · 휴일이라 옮김(${one.moved_by})` : ""}</small></div>
          </li>`,
        )}
      </ol>
      <div class="row end sticky"><button type="button" class="primary" ?disabled=${state.busy} @click=${save}>${icon("calendar")}달력에 넣기(.ics)</button></div>
    </div>`,
  };
}

function dayText(day) {
  const date = new Date(`${day}T00:00:00`);
  return `${date.getFullYear()}. ${date.getMonth() + 1}. ${date.getDate()}.(${"일월화수목금토"[date.getDay()]})`;
}

/** A dialog with notices that meet the conditions of an action. */
export async function fundingTool(params, changed) {
  const state = { errors: {}, problem: "", busy: false, found: null, chosen: new Set(), page: 1, keyword: params.keyword ?? "" };
  const { company } = profileContext(loadProfile());
  const wanted = () => ({ ...params, ...(company ? { company } : {}), keyword: state.keyword, page: state.page });
  const load = () => attempt(state, changed, async () => (state.found = await getJson("api/funding/search", { method: "POST", json: wanted() })));
  const save = () => {
    const query = new URLSearchParams([...state.chosen].map((id) => ["ids", id])).toString();
    attempt(state, changed, async () => saveFile(await request(`api/funding/notices.ics?${query}`), "공고마감.ics"));
  };
  const search = (event) => {
    event.preventDefault();
    Object.assign(state, { page: 1, keyword: new FormData(event.target).get("keyword").trim() });
    load();
  };
  const turn = (step) => {
    state.page += step;
    load();
  };
  const choose = (id) => {
    if (!state.chosen.delete(id)) state.chosen.add(id);
    changed();
  };
  await load();
  return {
    title: () => "지원사업 찾기",
    body: () => html`<div class="form">
      <form class="row" @submit=${search}><label class="field grow"><span class="sr">검색어</span><input name="keyword" type="search" maxlength="200" placeholder="예: 스마트공장" .value=${state.keyword} /></label><button>${icon("search")}찾기</button></form>
      ${problemLine(state)} ${state.found ? noticeList(state, choose) : nothing}
      ${state.found?.pages > 1
        ? html`<div class="row center"><button type="button" ?disabled=${state.page <= 1} @click=${() => turn(-1)}>이전</button><span>${state.page} / ${state.found.pages}</span><button type="button" ?disabled=${state.page >= state.found.pages} @click=${() => turn(1)}>다음</button></div>`
        : nothing}
      ${state.chosen.size ? html`<div class="row end sticky"><button type="button" class="primary" @click=${save}>${icon("calendar")}고른 ${state.chosen.size}건의 마감일 받기(.ics)</button></div>` : nothing}
    </div>`,
  };
}

function noticeList(state, choose) {
  const { applied, items, message, total, degraded } = state.found;
  const conditions = Object.entries(applied).map(([name, value]) => `${name}: ${value}`);
  return html`<p class="muted" role="status">${total}건${conditions.length ? ` · ${conditions.join(", ")}` : ""}</p>
    ${degraded.map((one) => html`<p class="banner">${one.reason}</p>`)}
    ${message ? html`<p class="note">${total ? message : message.includes("python") ? "아직 이 서비스에 등록된 공고가 없습니다. 기업마당(bizinfo.go.kr)이나 K-Startup(k-startup.go.kr)에서 찾아보세요." : message}</p>` : nothing}
    <ol class="notices">
      ${items.map((item) => {
        const address = webAddress(item.url);
        return html`<li>
          <div class="row"><span class="badge ${item.status}">${item.status_label}${daysLeft(item.days_left)}</span>
            ${item.apply_end ? html`<label class="inline"><input type="checkbox" .checked=${state.chosen.has(item.id)} @change=${() => choose(item.id)} />마감일 담기</label>` : nothing}</div>
          <b>${item.title}</b>
          <small>${[item.agency, item.regions.join(", "), item.target].filter(Boolean).join(" · ")}${item.apply_end ? ` · ${item.apply_end} 마감` : ""}</small>
          <ul class="reasons-list">${item.reasons.map((one) => html`<li class=${one.verdict}>${one.verdict === "fits" ? icon("check") : icon("question")}${one.text}</li>`)}</ul>
          <small class="muted">출처: ${item.source} · ${item.seen_on} 확인</small>
          ${address ? html`<a class="small button" href=${address} target="_blank" rel="noopener noreferrer">${icon("open")}공고 원문</a>` : nothing}
        </li>`;
      })}
    </ol>`;
}

function daysLeft(days) {
  if (days === null) return "";
  return days ? ` D-${days}` : " 오늘 마감";
}

/** A dialog that names whom to ask. */
export function consultationTool(action) {
  const address = webAddress(String(action.params.url ?? ""));
  const phone = /^[\d-]{3,16}$/u.test(String(action.params.phone ?? "")) ? String(action.params.phone) : "";
  return {
    title: () => action.label,
    body: () => html`<p>${action.description}</p>
      <div class="row">${phone ? html`<a class="button primary" href="tel:${phone}">${icon("phone")}${phone}에 전화하기</a>` : nothing}
      ${address ? html`<a class="button" href=${address} target="_blank" rel="noopener noreferrer">${icon("open")}누리집 열기</a>` : nothing}</div>`,
  };
}
