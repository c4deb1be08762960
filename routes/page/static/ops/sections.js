/** Health, versions of the index, jobs and gaps, as an operator sees them. */

import { html, nothing } from "../vendor/lit-html/lit-html.js";
import { icon } from "../shared/icons.js";

const STATES = { available: ["정상", "good"], degraded: ["저하", "poor"], unavailable: ["멈춤", "gone"], off: ["꺼짐", ""], ok: ["정상", "good"] };
const JOB_STATES = { queued: ["기다림", ""], running: ["진행 중", "poor"], done: ["끝남", "good"], failed: ["실패", "gone"], cancelled: ["취소됨", ""] };
const KINDS = { ingest: "넣기", delete: "지우기", purge: "파기" };
const PARTS = {
  index: "지식 색인", analyzer: "형태소 분석기", llm: "언어 모델", bm25: "낱말 검색", vector: "의미 검색", domain_db: "분야 설정", weights: "학습된 순서",
  knowledge: "기본 지식", disk: "디스크", question_log: "질문 기록", chat_log: "대화 기록", usage: "사용량", sessions: "대화 저장", redis: "Redis", rerank: "순위 조정", notices: "공고",
};
const CAUSES = { "nothing found": "비슷한 문서 없음", "kept back": "가까운 문서는 있음", "turned away": "받지 않은 질문", unhelpful: "도움이 되지 않음" };
const REASONS = { not_answered: "답이 아님", wrong: "틀림", outdated: "지난 기준", incomplete: "빠짐", other_case: "다른 경우", unclear: "불명확", other: "그 밖" };

function badge(value, names) {
  const [label, tone] = names[value] ?? [value, ""];
  return html`<span class="state ${tone}">${label}</span>`;
}

function when(moment) {
  return new Date(moment).toLocaleString("ko-KR", { dateStyle: "medium", timeStyle: "short" });
}

function count(number) {
  return number.toLocaleString("ko-KR");
}

export function healthSection(state) {
  const { health } = state;
  if (!health) return loading();
  const poor = Object.entries(health.capabilities).filter(([, one]) => one.reason);
  const total = Object.values(health.documents).reduce((sum, one) => sum + one, 0);
  return html`<section class="card" aria-labelledby="health-title">
      <div class="row"><h2 id="health-title">상태</h2>${badge(health.status, STATES)}</div>
      <dl class="facts">
        <div><dt>버전</dt><dd>${health.version}</dd></div>
        <div><dt>켜진 시간</dt><dd>${uptime(health.uptime_seconds)}</dd></div>
        <div><dt>문서</dt><dd>${count(total)}건</dd></div>
        <div><dt>답변</dt><dd>${health.providers.llm === "extractive" ? "모델 없이(문서에서 골라)" : health.providers.llm}</dd></div>
      </dl>
      ${poor.length ? nothing : html`<p class="done">${icon("check")} 저하된 기능이 없습니다.</p>`}
      <div class="scroll-x" tabindex="0" role="group" aria-label="기능의 상태"><table>
        <thead><tr><th scope="col">기능</th><th scope="col">상태</th><th scope="col">까닭과 할 일</th></tr></thead>
        <tbody>
          ${Object.entries(health.capabilities)
            .sort(([, a], [, b]) => Number(Boolean(b.reason)) - Number(Boolean(a.reason)))
            .map(([name, one]) => html`<tr><th scope="row">${PARTS[name] ?? name}</th><td>${badge(one.state, STATES)}</td><td>${one.reason || (one.required ? "답변에 꼭 필요한 기능입니다." : "")}</td></tr>`)}
        </tbody>
      </table></div>
    </section>
    <section class="card" aria-labelledby="providers-title"><h2 id="providers-title">쓰고 있는 것</h2>
      <dl class="facts">${Object.entries(health.providers).map(([name, value]) => html`<div><dt>${name}</dt><dd>${value}</dd></div>`)}</dl></section>`;
}

function uptime(seconds) {
  const hours = Math.floor(seconds / 3600);
  return hours ? `${hours}시간 ${Math.floor((seconds % 3600) / 60)}분` : `${Math.floor(seconds / 60)}분`;
}

function loading() {
  return html`<p class="muted" role="status">불러오고 있습니다…</p>`;
}

export function indexSection(state, acts) {
  const { versions, jobs, domains } = state;
  if (!versions) return loading();
  const previous = versions.find((one) => !one.current);
  return html`<section class="card" aria-labelledby="versions-title">
      <h2 id="versions-title">색인 버전</h2>
      <div class="scroll-x" tabindex="0" role="group" aria-label="색인 버전"><table>
        <thead><tr><th scope="col">버전</th><th scope="col">만든 때</th><th scope="col">문서</th><th scope="col">구절</th><th scope="col">임베딩</th></tr></thead>
        <tbody>${versions.map((one) => html`<tr><th scope="row">${one.version} ${one.current ? html`<span class="state good">쓰는 중</span>` : nothing}${one.damaged ? html`<span class="state gone">손상됨</span>` : nothing}</th>
          <td class="whole"><time datetime=${one.created}>${when(one.created)}</time></td><td class="number">${count(one.documents)}</td><td class="number">${count(one.chunks)}</td><td class="whole">${one.embedder}</td></tr>`)}</tbody>
      </table></div>
      ${previous
        ? html`<div class="row"><button type="button" ?disabled=${state.busy} @click=${() => acts.confirmRollback(previous)}>${icon("retry")}이전 버전으로 되돌리기</button><span class="muted">한 번 더 되돌리면 지금 버전으로 돌아옵니다.</span></div>`
        : html`<p class="muted">되돌릴 이전 버전이 없습니다. 문서를 넣거나 지우면 바로 전 버전이 남습니다.</p>`}
    </section>
    <section class="card" aria-labelledby="ingest-title">
      <h2 id="ingest-title">문서 넣기</h2>
      <form class="form" @submit=${acts.upload}>
        <label class="field"><span>파일 (답변 단위 .md, JSONL, PDF, 안내문, tar.gz; 20개까지)</span><input class="file" type="file" name="files" multiple required /></label>
        <div class="grid">
          <label class="field"><span>분야 (PDF와 안내문에는 필요)</span><select name="collection"><option value="">파일이 정한 대로</option>${domains.map((one) => html`<option value=${one.key}>${one.label}</option>`)}</select></label>
          <label class="field tick"><input type="checkbox" name="restore" /><span>전에 지운 문서도 다시 넣기</span></label>
        </div>
        <div class="row end"><button class="primary" ?disabled=${state.busy}>올리기</button></div>
      </form>
    </section>
    <section class="card" aria-labelledby="jobs-title">
      <h2 id="jobs-title">최근 작업</h2>
      ${jobs.length ? html`<ul class="form">${jobs.map((job) => jobView(job, acts))}</ul>` : html`<p class="muted">아직 작업이 없습니다.</p>`}
    </section>`;
}

function jobView(job, acts) {
  const active = job.state === "queued" || job.state === "running";
  const changes = [["더함", job.added], ["고침", job.updated], ["뺌", job.removed], ["그대로 지운 채 둠", job.withheld]].filter(([, number]) => number);
  return html`<li class="note form" aria-busy=${active}>
    <div class="row">${badge(job.state, JOB_STATES)}<b>${job.files.join(", ") || job.document || KINDS[job.kind] || job.kind}</b><span class="muted">${when(job.created)}</span>
      ${active ? html`<button type="button" class="small" @click=${() => acts.cancelJob(job)}>취소</button>` : nothing}</div>
    ${active ? html`<progress aria-label="진행"></progress><small class="muted" role="status">${job.stage || "차례를 기다리고 있습니다"}</small>` : nothing}
    ${job.reason ? html`<p class="error">${job.reason}</p>` : nothing}
    ${changes.length ? html`<small>${changes.map(([label, number]) => `${label} ${count(number)}`).join(" · ")}</small>` : nothing}
    ${job.problem_count ? html`<details><summary>읽지 못한 것 ${count(job.problem_count)}건</summary><ul>${job.problems.map((one) => html`<li><small>${problemText(one)}</small></li>`)}</ul></details>` : nothing}
  </li>`;
}

function problemText(one) {
  return Object.values(one)
    .filter((value) => value !== null && value !== "")
    .join(" · ");
}

export function gapsSection(state) {
  const { gaps, domains } = state;
  if (state.gapsOff) return html`<section class="card"><h2>답하지 못한 질문</h2><p class="note">${state.gapsOff}</p></section>`;
  if (!gaps) return loading();
  const label = (key) => domains.find((one) => one.key === key)?.label ?? (key || "분야 없음");
  return html`<section class="card" aria-labelledby="gaps-title">
    <h2 id="gaps-title">답하지 못한 질문</h2>
    <p class="muted">기록된 질문 ${count(gaps.asked)}건 가운데 ${count(gaps.with_gap)}건, 주제 ${count(gaps.total)}가지${gaps.outages ? `. 검색이 멈춘 동안의 ${count(gaps.outages)}건은 뺐습니다` : ""}.</p>
    <div class="scroll-x" tabindex="0" role="group" aria-label="답하지 못한 질문"><table>
      <thead><tr><th scope="col">주제</th><th scope="col">분야</th><th scope="col">횟수</th><th scope="col">까닭</th></tr></thead>
      <tbody>
        ${gaps.topics.map(
          (topic) => html`<tr>
            <th scope="row"><details><summary>${topic.topic}</summary><ul>${topic.examples.map((one) => html`<li>${one}</li>`)}${topic.comments.map((one) => html`<li>의견: ${one}</li>`)}</ul>
              ${topic.nearest ? html`<small>가장 가까운 문서: ${topic.nearest.title} (${topic.nearest.id})</small>` : nothing}</details></th>
            <td class="whole">${label(topic.domain)}</td><td class="number">${count(topic.questions)}</td><td>${topic.causes.map((one) => html`<div>${causeText(one.why)} ${one.count}</div>`)}</td>
          </tr>`,
        )}
      </tbody>
    </table></div>
  </section>`;
}

function causeText(why) {
  const [, cause, reason] = /^(.+?)(?: \((.+)\))?$/u.exec(why);
  return `${CAUSES[cause] ?? cause}${reason ? `(${REASONS[reason] ?? reason})` : ""}`;
}
