/**
 * Conversations as this browser keeps them, and what the service is told of them.
 *
 * @typedef {object} Turn
 * @property {string} id
 * @property {string} question
 * @property {boolean} pictured a picture came with the question (it is not kept)
 * @property {"waiting" | "done" | "stopped" | "failed"} state
 * @property {string} content
 * @property {object[]} checks
 * @property {object[]} sources
 * @property {object[]} read sources that the answer was written from
 * @property {object[]} actions
 * @property {string[]} replaced reasons for which the answer was replaced
 * @property {object | null} status the stage under way
 * @property {object | null} meta what `done` told
 * @property {{detail: string, code: string, requestId: string} | null} problem
 * @property {{helpful: boolean, reason?: string} | null} feedback
 */

const STORE = "bizi.conversations";
const USER = "bizi.user";
const MOST = 30;
const MOST_MESSAGES = 20;
const LONGEST_MESSAGE = 8000;

/** A new random id, made of letters and digits. */
export function newId() {
  return Array.from(crypto.getRandomValues(new Uint8Array(16)), (byte) => byte.toString(16).padStart(2, "0")).join("");
}

/** Names this browser to the service, so that its list of conversations holds only those asked here. */
export function userId() {
  const kept = localStorage.getItem(USER) ?? `web-${newId()}`;
  localStorage.setItem(USER, kept);
  return kept;
}

export function newConversation(assistant) {
  return { id: newId(), assistant, updated: Date.now(), turns: [], remote: false };
}

export function newTurn(question, pictured) {
  return {
    id: newId(),
    question,
    pictured,
    state: "waiting",
    content: "",
    checks: [],
    sources: [],
    read: [],
    actions: [],
    replaced: [],
    status: null,
    meta: null,
    problem: null,
    feedback: null,
  };
}

/** The conversations kept here, the one used last first. */
export function loadConversations() {
  try {
    const kept = JSON.parse(localStorage.getItem(STORE) ?? "[]");
    return Array.isArray(kept) ? kept.filter((one) => one && typeof one.id === "string" && Array.isArray(one.turns)) : [];
  } catch {
    return [];
  }
}

/** Keep a conversation; the oldest ones make room. */
export function saveConversation(conversation) {
  const others = loadConversations().filter((one) => one.id !== conversation.id);
  const kept = { ...conversation, turns: conversation.turns.map((turn) => ({ ...turn, read: [], status: null })) };
  let list = [kept, ...others].slice(0, MOST);
  while (list.length) {
    try {
      localStorage.setItem(STORE, JSON.stringify(list));
      return;
    } catch {
      list = list.slice(0, -1);
    }
  }
}

export function forgetConversation(id) {
  localStorage.setItem(STORE, JSON.stringify(loadConversations().filter((one) => one.id !== id)));
}

export function titleOf(conversation) {
  return conversation.title ?? conversation.turns[0]?.question ?? "새 대화";
}

/**
 * The messages before a turn, as the service takes them. They come with every question, so that an answer that is asked for
 * again is not read as part of its own history, and a service that keeps no conversations follows all the same.
 */
export function historyBefore(conversation, turn) {
  const before = conversation.turns.slice(0, conversation.turns.indexOf(turn));
  const messages = [];
  for (const past of before) {
    if (past.state === "failed" || !past.content.trim()) continue;
    messages.push({ role: "user", content: past.question });
    messages.push({ role: "assistant", content: Array.from(past.content).slice(0, LONGEST_MESSAGE).join("") });
  }
  return messages.slice(-MOST_MESSAGES);
}

/** The state of a conversation about notices before a turn, where there is one. */
export function sessionStateBefore(conversation, turn) {
  const before = conversation.turns.slice(0, conversation.turns.indexOf(turn));
  const state = before.at(-1)?.meta?.session_state;
  return state ?? null;
}

/** A conversation of the service's, read from `/api/sessions/{id}`. */
export function fromSession(session, assistant) {
  const turns = session.turns.map((told) => ({
    ...newTurn(told.question ?? "", false),
    state: "done",
    content: told.answer ?? "",
    sources: told.sources.map((source) => ({ ...source, content: "", metadata: {} })),
    meta: told.request_id ? { request_id: told.request_id, kind: "consult", asks: [], degraded: [], actions: [] } : null,
  }));
  return { id: session.session_id, assistant, updated: Date.parse(session.updated_at), turns, remote: true };
}
