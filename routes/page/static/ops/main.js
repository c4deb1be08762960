/** The page for operators: its state, and what can be done on it. */

import { html, nothing, render } from "../vendor/lit-html/lit-html.js";
import { ApiError, apiKey, getJson, onUnauthorized, request, setApiKey } from "../shared/api.js";
import { dialogView, keyTool, syncDialog } from "../shared/dialog.js";
import { applyTheme } from "../shared/theme.js";
import { icon } from "../shared/icons.js";
import { domainsSection } from "./domains.js";
import { gapsSection, healthSection, indexSection } from "./sections.js";

const TABS = { health: "상태", index: "지식 색인", gaps: "답하지 못한 질문", domains: "분야" };
const POLL = 1500; // milliseconds between two looks at running jobs
const TYPING = 350; // milliseconds of rest before a question is tried

const state = {
  tab: Object.keys(TABS).find((name) => location.hash === `#${name}`) ?? "health",
  health: null,
  versions: null,
  jobs: [],
  domains: [],
  domain: null,
  gaps: null,
  gapsOff: "",
  asked: "",
  preview: null,
  trial: null,
  busy: false,
  problem: "",
  said: "",
  tool: null,
};

function changed() {
  render(pageView(), document.getElementById("page"));
  syncDialog(Boolean(state.tool));
}

function pageView() {
  const sections = { health: () => healthSection(state), index: () => indexSection(state, acts), gaps: () => gapsSection(state), domains: () => domainsSection(state, acts) };
  return html`<header class="top"><div class="bar"><h1 class="brand"><span class="logo" aria-hidden="true">B</span>Bizi 운영</h1>
      <nav aria-label="주 메뉴"><a class="button nav" href="./">${icon("chats")}<span>질문 화면</span></a><button type="button" class="nav" aria-haspopup="dialog" @click=${acts.openKey}>${icon("settings")}<span>API 키</span></button></nav></div></header>
    <main class="ops">
      <div class="ops-tabs" role="tablist" aria-label="운영" @keydown=${acts.moveTab}>
        ${Object.entries(TABS).map(([name, label]) => html`<button type="button" role="tab" id="tab-${name}" aria-selected=${state.tab === name} aria-controls="panel" tabindex=${state.tab === name ? 0 : -1} @click=${() => acts.open(name)}>${label}</button>`)}
      </div>
      ${state.problem ? html`<p class="problem" role="alert">${state.problem}</p>` : nothing} ${state.said ? html`<p class="done" role="status">${state.said}</p>` : nothing}
      <div class="form" id="panel" role="tabpanel" tabindex="0" aria-labelledby="tab-${state.tab}">${sections[state.tab]()}</div>
    </main>
    ${dialogView(state.tool, acts.closeTool)}`;
}

/** Do something with the service; what goes wrong is told above the section. */
async function attempt(work) {
  Object.assign(state, { busy: true, problem: "", said: "" });
  changed();
  try {
    await work();
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.status !== 401) state.problem = error.errors.length ? error.errors.map(({ message }) => message).join(" ") : error.message;
  }
  state.busy = false;
  changed();
}

const load = {
  async health() {
    state.health = await getJson("health");
  },
  async index() {
    const [{ versions }, { jobs }] = await Promise.all([getJson("api/vectordb/versions"), getJson("api/vectordb/jobs?limit=10")]);
    Object.assign(state, { versions, jobs });
    followJobs();
  },
  async gaps() {
    try {
      state.gaps = await getJson("api/gaps");
    } catch (error) {
      if (!(error instanceof ApiError) || error.status !== 404) throw error;
      state.gapsOff = error.message;
    }
  },
  async domains() {},
};

let following = 0;
function followJobs() {
  clearTimeout(following);
  if (state.tab !== "index" || !state.jobs.some((job) => job.state === "queued" || job.state === "running")) return;
  following = setTimeout(async () => {
    try {
      await load.index();
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      state.problem = error.message;
    }
    changed();
  }, POLL);
}

let resting = 0;
async function previewNow(question) {
  try {
    const preview = await getJson("api/domains/route-preview", { method: "POST", json: { question } });
    if (state.asked.trim() === question) state.preview = preview;
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    state.problem = error.message;
  }
  changed();
}

async function readDomain(key) {
  state.domain = await getJson(`api/domains/${encodeURIComponent(key)}`);
}

/** Write to a part of the chosen domain, and read it and the preview anew. */
function edit(part, options, said) {
  return attempt(async () => {
    const { key } = state.domain;
    await request(`api/domains/${encodeURIComponent(key)}/${part}`, options);
    await readDomain(key);
    state.trial = null;
    state.said = said;
    if (state.asked.trim()) await previewNow(state.asked.trim());
  });
}

const acts = {
  open(name) {
    Object.assign(state, { tab: name, problem: "", said: "" });
    history.replaceState(null, "", `#${name}`);
    return attempt(load[name]);
  },
  moveTab(event) {
    const step = { ArrowRight: 1, ArrowLeft: -1 }[event.key];
    if (!step) return;
    const names = Object.keys(TABS);
    const next = names[(names.indexOf(state.tab) + step + names.length) % names.length];
    acts.open(next);
    document.getElementById(`tab-${next}`).focus();
  },
  openKey() {
    state.tool = keyTool(keepKey, () => false);
    changed();
  },
  closeTool() {
    state.tool = null;
    changed();
  },
  confirmRollback(previous) {
    state.tool = {
      title: () => "색인 되돌리기",
      body: () => html`<p>${previous.version} 버전(문서 ${previous.documents}건)으로 되돌립니다. 곧바로 모든 답변에 쓰입니다.</p>
        <div class="row end"><button type="button" @click=${acts.closeTool}>그만두기</button><button type="button" class="primary" @click=${acts.rollback}>되돌리기</button></div>`,
    };
    changed();
  },
  rollback() {
    state.tool = null;
    return attempt(async () => {
      const { version } = await getJson("api/vectordb/rollback", { method: "POST" });
      await load.index();
      state.said = `${version} 버전을 쓰고 있습니다.`;
    });
  },
  upload(event) {
    event.preventDefault();
    const told = new FormData(event.target);
    const body = new FormData();
    for (const file of told.getAll("files")) body.append("files", file);
    if (told.get("collection")) body.append("collection", told.get("collection"));
    if (told.has("restore")) body.append("restore", "true");
    const form = event.target;
    return attempt(async () => {
      await request("api/vectordb/ingest", { method: "POST", body });
      form.reset();
      await load.index();
    });
  },
  cancelJob: (job) =>
    attempt(async () => {
      await request(`api/vectordb/jobs/${encodeURIComponent(job.id)}/cancel`, { method: "POST" });
      await load.index();
    }),
  chooseDomain: (key) => attempt(() => readDomain(key)),
  preview(text) {
    state.asked = text;
    clearTimeout(resting);
    const question = text.trim();
    if (question) resting = setTimeout(previewNow, TYPING, question);
    else state.preview = null;
    changed();
  },
  addKeyword(event) {
    event.preventDefault();
    const told = new FormData(event.target);
    const entry = { word: told.get("word").trim(), tier: told.get("tier") };
    if (event.submitter?.name === "try") {
      return attempt(async () => {
        const edits = [{ op: "add", part: "keywords", key: state.domain.key, entry }];
        state.trial = await getJson("api/domains/dry-run", { method: "POST", json: { edits, questions: state.asked.trim() ? [state.asked.trim()] : [] } });
      });
    }
    event.target.reset();
    return edit("keywords", { method: "POST", json: entry }, `‘${entry.word}’을(를) 더했습니다.`);
  },
  dropKeyword: (tier, word) => edit(`keywords?${new URLSearchParams({ tier, word })}`, { method: "DELETE" }, `‘${word}’을(를) 뺐습니다.`),
  addExample(event) {
    event.preventDefault();
    const question = new FormData(event.target).get("question").trim();
    event.target.reset();
    return edit("examples", { method: "POST", json: { question } }, "대표 질문을 더했습니다.");
  },
  dropExample: (question) => edit(`examples?${new URLSearchParams({ question })}`, { method: "DELETE" }, "대표 질문을 뺐습니다."),
};

function keepKey(key, remember) {
  setApiKey(key, remember);
  state.tool = null;
  start();
}

async function start() {
  await attempt(async () => {
    const { domains } = await getJson("api/domains");
    state.domains = domains;
    await load[state.tab]();
  });
}

applyTheme();
onUnauthorized(() => {
  state.tool = keyTool(keepKey, () => Boolean(apiKey()));
  changed();
});
document.getElementById("page").replaceChildren();
changed();
start();
