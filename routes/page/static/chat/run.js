/** Asks a question and lets the turn follow the events of its answer. */

import { ApiError, events } from "../shared/api.js";
import { historyBefore, sessionStateBefore, userId } from "./conversations.js";
import { loadProfile, profileContext } from "./profile.js";

const DEFAULT_ASSISTANT = "bizi";

/** The address of an assistant's answers below the service. */
export function assistantPath(name, isDefault) {
  return isDefault || name === DEFAULT_ASSISTANT ? "api/chat" : `api/assistants/${encodeURIComponent(name)}/chat`;
}

/**
 * Answer a turn of a conversation.
 * @param {{conversation: object, turn: object, path: string, image: string | null, signal: AbortSignal, changed: () => void}} run
 */
export async function answer({ conversation, turn, path, image, signal, changed }) {
  const context = profileContext(loadProfile());
  const question = {
    message: turn.question,
    history: historyBefore(conversation, turn),
    session_id: conversation.id,
    user_context: { user_id: userId(), ...context },
  };
  const state = sessionStateBefore(conversation, turn);
  if (state) question.session_state = { ...state, chat_history: [] };
  if (image) question.image = image;
  try {
    for await (const event of events(`${path}/stream`, question, signal)) {
      take(turn, event);
      changed();
    }
  } catch (error) {
    if (signal.aborted) turn.state = "stopped";
    else fail(turn, error instanceof ApiError ? error : new ApiError({ code: "internal_error", detail: "답변을 읽지 못했습니다." }));
  }
  turn.status = null;
  changed();
}

function take(turn, event) {
  switch (event.type) {
    case "status":
      turn.status = { stage: event.stage, label: event.label };
      break;
    case "source":
      turn.read.push(event.source);
      turn.sources.push(event.source);
      break;
    case "token":
      turn.content += event.content;
      break;
    case "check":
      turn.checks.push(event.check);
      break;
    case "action":
      turn.actions.push(event.action);
      break;
    case "replace":
      turn.replaced.push(event.reason);
      turn.content = event.content;
      turn.sources = event.sources;
      turn.checks = [];
      break;
    case "error":
      fail(turn, new ApiError(event.problem));
      break;
    case "done":
      finish(turn, event);
      break;
  }
}

function finish(turn, { type, sources, actions, trace, ...meta }) {
  turn.state = "done";
  turn.sources = sources;
  turn.actions = actions;
  turn.checks = meta.evaluation?.grounding.sentences ?? turn.checks;
  turn.meta = meta;
  const cited = new Set(sources.map((source) => source.metadata.id ?? source.title));
  turn.nearby = turn.read
    .filter((source) => !source.metadata.computed && !cited.has(source.metadata.id ?? source.title))
    .map((source) => source.title);
}

function fail(turn, error) {
  turn.state = "failed";
  turn.problem = { detail: error.message, code: error.code, requestId: error.requestId, errors: error.errors };
}
