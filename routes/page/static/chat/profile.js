/** The asker's company: kept in this browser alone, and sent along with each question. */

import { html } from "../vendor/lit-html/lit-html.js";

const STORE = "bizi.profile";
const FIELDS = [
  { name: "company_name", label: "상호", type: "text" },
  { name: "industry_name", label: "업종", type: "text", hint: "예: 카페, 소프트웨어 개발" },
  { name: "region", label: "지역", type: "text", hint: "예: 부산" },
  { name: "employee_count", label: "직원 수", type: "number", unit: "명", whole: true, max: 1_000_000 },
  { name: "years_in_business", label: "업력", type: "number", unit: "년", max: 300 },
  { name: "annual_revenue", label: "연 매출", type: "number", unit: "원", whole: true, max: 1e15 },
];
const KINDS = { prospective: "창업을 준비해요", startup_ceo: "창업한 지 얼마 안 됐어요", sme_owner: "가게·회사를 운영해요" };

/** The profile kept here; an empty one at first. */
export function loadProfile() {
  try {
    return JSON.parse(localStorage.getItem(STORE) ?? "{}") ?? {};
  } catch {
    return {};
  }
}

/** The profile as the service takes it: only what is filled in. */
export function profileContext(profile) {
  const company = Object.fromEntries(FIELDS.filter(({ name }) => profile[name] !== undefined).map(({ name }) => [name, profile[name]]));
  return {
    ...(profile.user_type ? { user_type: profile.user_type } : {}),
    ...(Object.keys(company).length ? { company } : {}),
  };
}

/** What is said of a profile in a line, or nothing. */
export function profileSummary(profile) {
  const parts = [profile.company_name, profile.industry_name, profile.region];
  if (profile.employee_count !== undefined) parts.push(`직원 ${profile.employee_count}명`);
  return parts.filter(Boolean).join(" · ") || (KINDS[profile.user_type] ?? "");
}

/** The form; `saved` is called once it is kept or cleared. */
export function profileForm(saved) {
  const profile = loadProfile();
  const keep = (event) => {
    event.preventDefault();
    const filled = {};
    for (const [name, value] of new FormData(event.target)) {
      const field = FIELDS.find((one) => one.name === name);
      if (value.trim()) filled[name] = field?.type === "number" ? Number(value) : value.trim();
    }
    localStorage.setItem(STORE, JSON.stringify(filled));
    saved();
  };
  const clear = () => {
    localStorage.removeItem(STORE);
    saved();
  };
  return html`<form class="form" @submit=${keep}>
    <p class="muted">적은 만큼 우리 회사에 맞게 답합니다. 이 브라우저에만 저장되고, 질문할 때 함께 보냅니다.</p>
    <fieldset class="choices">
      <legend>지금 상황</legend>
      ${Object.entries(KINDS).map(
        ([value, label]) => html`<label><input type="radio" name="user_type" value=${value} ?checked=${profile.user_type === value} />${label}</label>`,
      )}
    </fieldset>
    <div class="grid">
      ${FIELDS.map(
        (field) => html`<label class="field"
          ><span>${field.label}${field.unit ? ` (${field.unit})` : ""}</span>
          <input
            name=${field.name}
            type=${field.type}
            min="0"
            max=${field.max ?? ""}
            maxlength="200"
            step=${field.whole ? "1" : "any"}
            inputmode=${field.type === "number" ? "decimal" : "text"}
            placeholder=${field.hint ?? ""}
            .value=${String(profile[field.name] ?? "")}
        /></label>`,
      )}
    </div>
    <div class="row end">
      <button type="button" class="plain" @click=${clear}>모두 지우기</button>
      <button class="primary">저장</button>
    </div>
  </form>`;
}
