/** The page for founders: its state, and what can be done on it. */

import { html, nothing, render } from "../vendor/lit-html/lit-html.js";
import { repeat } from "../vendor/lit-html/directives/repeat.js";
import { ApiError, apiKey, getJson, onUnauthorized, request, setApiKey } from "../shared/api.js";
import { dialogView, keyTool, reveal, syncDialog } from "../shared/dialog.js";
import { applyTheme, setTheme, theme } from "../shared/theme.js";
import { turnView, withCitations } from "./answer_view.js";
import { forgetConversation, fromSession, loadConversations, newConversation, newTurn, saveConversation, userId } from "./conversations.js";
import { giveFeedback } from "./feedback_view.js";
import { pictureOf, transcribed } from "./media.js";
import { profileForm } from "./profile.js";
import { answer, assistantPath } from "./run.js";
import { composerView, headerView, historyTool, settingsTool, toolsTool, welcomeView } from "./shell_view.js";
import { loadStatute, statuteView } from "./source_view.js";
import { calculatorTool, calendarTool, consultationTool, documentTool, fundingTool } from "./tools_view.js";

const DEFAULT = { name: "bizi", label: "창업·경영 상담", description: "창업·지원사업, 세무·회계, 인사·노무, 법률에 대한 질문에 문서를 근거로 답합니다.", is_default: true, ready: true, takes: ["text"], examples: [], needs: [] };
const TOOLS = {
  document_generation: (action) => documentTool(action.params, changed),
  funding_search: (action) => fundingTool(action.params, changed),
  tax_calendar: (action) => calendarTool(action.params, changed),
  legal_consultation: (action) => consultationTool(action),
};

const state = {
  assistants: [DEFAULT],
  assistant: DEFAULT,
  conversation: newConversation(DEFAULT.name),
  history: loadConversations(),
  opened: new Map(),
  tool: null,
  busy: null,
  image: null,
  notice: "",
  spoken: "",
  offline: !navigator.onLine,
};

let pending = false;
function changed() {
  if (pending) return;
  pending = true;
  requestAnimationFrame(() => {
    pending = false;
    render(pageView(), document.getElementById("page"));
    syncDialog(Boolean(state.tool));
  });
}

function pageView() {
  const { turns } = state.conversation;
  return html`${headerView(state, acts)}
    <main id="conversation">
      ${turns.length ? nothing : welcomeView(state, acts)}
      ${repeat(
        turns,
        (turn) => turn.id,
        (turn) => turnView(turn, { opened: state.opened, isLast: turn === turns.at(-1), busy: Boolean(state.busy) }, acts),
      )}
    </main>
    ${composerView(state, acts)}
    <p class="sr" role="status">${state.spoken}</p>
    ${dialogView(state.tool, acts.closeTool)}`;
}

function openTool(tool) {
  state.tool = tool;
  changed();
}

/** Open a dialog that has to be loaded first; a failure is told beside the box to write in. */
async function openLoaded(loading) {
  state.notice = "";
  try {
    openTool(await loading);
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    tell(error.message);
  }
}

function tell(notice) {
  state.notice = notice;
  changed();
}

async function run(turn, image = null) {
  const { conversation } = state;
  const stopping = new AbortController();
  state.busy = stopping;
  state.spoken = "답변을 쓰고 있습니다";
  changed();
  showLatest();
  const path = assistantPath(state.assistant.name, state.assistant.is_default);
  await answer({ conversation, turn, path, image, signal: stopping.signal, changed });
  state.busy = null;
  state.spoken = { done: "답변이 끝났습니다", stopped: "답변을 멈췄습니다" }[turn.state] ?? "";
  conversation.updated = Date.now();
  saveConversation(conversation);
  state.history = loadConversations();
  changed();
}

function showLatest() {
  reveal(".turn:last-of-type", "start");
}

function grow(box) {
  box.rows = Math.min(6, Math.max(1, box.value.split("\n").length, Math.ceil(Array.from(box.value).length / 34)));
}

const acts = {
  ask(question) {
    const text = question.trim();
    if (!text || state.busy) return;
    const turn = newTurn(text, Boolean(state.image));
    const { image } = state;
    Object.assign(state, { image: null, notice: "", tool: null });
    state.conversation.turns.push(turn);
    run(turn, image);
  },
  submit(event) {
    event.preventDefault();
    const box = document.getElementById("question");
    if (state.busy || !box.value.trim()) return;
    acts.ask(box.value);
    box.value = "";
    grow(box);
  },
  keydown(event) {
    // the Enter that ends a syllable of an input method belongs to it
    if (event.key !== "Enter" || event.shiftKey || event.isComposing || event.keyCode === 229) return;
    event.preventDefault();
    acts.submit(event);
  },
  typed: (event) => grow(event.target),
  stop: () => state.busy?.abort(),
  retry(turn) {
    if (state.busy) return;
    const again = newTurn(turn.question, false);
    state.conversation.turns.splice(state.conversation.turns.indexOf(turn), 1, again);
    run(again);
  },
  async copy(turn) {
    try {
      await navigator.clipboard.writeText(withCitations(turn));
      state.spoken = "출처와 함께 복사했습니다";
      tell("출처와 함께 복사했습니다.");
    } catch {
      tell("복사하지 못했습니다. 글을 직접 선택해 복사해 주세요.");
    }
  },
  async feedback(turn, helpful, reason, comment) {
    try {
      await giveFeedback(turn, helpful, reason, comment);
      saveConversation(state.conversation);
      changed();
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      tell(error.message);
    }
  },
  askReason(turn) {
    turn.feedback = { helpful: false, asking: true };
    changed();
    reveal(".reasons");
  },
  toggleSource(turn, key) {
    if (state.opened.get(turn.id) === key) state.opened.delete(turn.id);
    else state.opened.set(turn.id, key);
    changed();
  },
  async openStatute(reference) {
    const found = {};
    const below = state.tool;
    openTool({ title: () => reference, body: () => statuteView(reference, found), below });
    try {
      found.found = await loadStatute(reference);
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      found.error = error.message;
    }
    changed();
  },
  openAction: (action) => openLoaded(Promise.resolve(TOOLS[action.type]?.(action) ?? consultationTool(action))),
  recalculate: (name) => openLoaded(calculatorTool(name, changed)),
  openCalculators: () => openLoaded(calculatorTool(null, changed)),
  openDocuments: () => openLoaded(documentTool({}, changed)),
  openCalendar: () => openLoaded(calendarTool({}, changed)),
  openFunding: () => openLoaded(fundingTool({}, changed)),
  openTools: () => openTool(toolsTool(acts)),
  openProfile: () => openTool({ title: () => "내 회사", body: () => profileForm(acts.closeTool) }),
  openSettings: () => openTool(settingsTool(theme, acts)),
  openKey: () => openTool(keyTool(keepKey, () => false)),
  closeTool() {
    state.tool = null;
    changed();
  },
  setTheme(value) {
    setTheme(value);
    changed();
  },
  startAnew() {
    acts.stop();
    state.conversation = newConversation(state.assistant.name);
    state.notice = "";
    acts.closeTool();
    document.getElementById("question").focus();
  },
  chooseAssistant(name) {
    state.assistant = state.assistants.find((one) => one.name === name) ?? state.assistant;
    state.image = null;
    acts.startAnew();
  },
  async openHistory() {
    openTool(historyTool(state, acts));
    const kept = new Set(state.history.map((one) => one.id));
    try {
      const { sessions } = await getJson(`api/sessions?user_id=${encodeURIComponent(userId())}`);
      const others = sessions.filter((one) => !kept.has(one.session_id));
      state.history = [...state.history, ...others.map((one) => ({ id: one.session_id, title: one.title, turns: [], updated: Date.parse(one.updated_at), assistant: state.assistant.name, remote: true }))];
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
    }
    changed();
  },
  async openConversation(chosen) {
    acts.stop();
    let conversation = chosen;
    if (chosen.remote && !chosen.turns.length) {
      try {
        conversation = fromSession(await getJson(`api/sessions/${chosen.id}?user_id=${encodeURIComponent(userId())}`), chosen.assistant);
      } catch (error) {
        if (!(error instanceof ApiError)) throw error;
        tell(error.message);
        return;
      }
    }
    state.assistant = state.assistants.find((one) => one.name === conversation.assistant) ?? state.assistant;
    state.conversation = conversation;
    acts.closeTool();
    showLatest();
  },
  async deleteConversation(chosen) {
    forgetConversation(chosen.id);
    state.history = state.history.filter((one) => one.id !== chosen.id);
    if (state.conversation.id === chosen.id) state.conversation = newConversation(state.assistant.name);
    changed();
    try {
      await request(`api/sessions/${chosen.id}?user_id=${encodeURIComponent(userId())}`, { method: "DELETE" });
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      if (error.status !== 404) tell("이 브라우저에서는 지웠지만, 서비스에 저장된 대화는 지우지 못했습니다.");
    }
  },
  async addImage(file) {
    try {
      state.image = await pictureOf(file);
      changed();
    } catch {
      tell("이 이미지를 읽을 수 없습니다.");
    }
  },
  dropImage() {
    state.image = null;
    changed();
  },
  async addVoice(file) {
    tell("음성을 글로 옮기고 있습니다…");
    try {
      const box = document.getElementById("question");
      box.value = await transcribed(state.assistant.name, file);
      grow(box);
      box.focus();
      tell("");
    } catch (error) {
      if (!(error instanceof ApiError)) throw error;
      tell(error.message);
    }
  },
};

function keepKey(key, remember) {
  setApiKey(key, remember);
  acts.closeTool();
  start();
}

async function start() {
  try {
    const { assistants } = await getJson("api/assistants");
    state.assistants = assistants;
    state.assistant = assistants.find((one) => one.name === state.assistant.name) ?? assistants[0];
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.status !== 401) tell(error.message);
  }
  changed();
}

applyTheme();
onUnauthorized(() => openTool(keyTool(keepKey, () => Boolean(apiKey()))));
for (const name of ["online", "offline"]) {
  addEventListener(name, () => {
    state.offline = !navigator.onLine;
    changed();
  });
}
// the page as it was sent is painted before ours takes its place
requestAnimationFrame(() =>
  setTimeout(() => {
    document.getElementById("page").replaceChildren();
    changed();
    start();
  }),
);
