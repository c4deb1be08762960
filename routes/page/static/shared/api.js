/**
 * Talks to the service: addresses below the page's own, the API key, problem documents and event streams.
 */

/** The address of the service; this file is three folders below it, whatever prefix a proxy adds. */
export const BASE = new URL("../../../", import.meta.url);

const KEY_NAME = "bizi.key";

/** A failure that can be shown: the problem document of the service, or that nothing answered. */
export class ApiError extends Error {
  /** @param {{status?: number, code?: string, detail?: string, title?: string, errors?: {path: string, message: string}[], request_id?: string}} problem */
  constructor(problem) {
    super(problem.detail || problem.title || "요청을 처리하지 못했습니다.");
    this.status = problem.status ?? 0;
    this.code = problem.code ?? "offline";
    this.errors = problem.errors ?? [];
    this.requestId = problem.request_id ?? "";
  }
}

const listeners = new Set();

/** Have `listener` called when the service asks for a key, or refuses the one that it was sent. */
export function onUnauthorized(listener) {
  listeners.add(listener);
}

/** @returns {string} the key in use, or nothing */
export function apiKey() {
  return sessionStorage.getItem(KEY_NAME) ?? localStorage.getItem(KEY_NAME) ?? "";
}

/** Keep a key: until the tab is closed, or in this browser. An empty one is forgotten. */
export function setApiKey(key, remember) {
  sessionStorage.removeItem(KEY_NAME);
  localStorage.removeItem(KEY_NAME);
  if (key) (remember ? localStorage : sessionStorage).setItem(KEY_NAME, key);
}

/**
 * Send a request.
 * @param {string} path below the service, without a leading slash
 * @returns {Promise<Response>} an answer of success
 * @throws {ApiError} any other answer, or none
 */
export async function request(path, { method = "GET", json, body, headers = {}, signal } = {}) {
  const sent = { ...headers };
  const key = apiKey();
  if (key) sent["X-API-Key"] = key;
  if (json !== undefined) sent["Content-Type"] = "application/json";
  let response;
  try {
    response = await fetch(new URL(path, BASE), {
      method,
      headers: sent,
      body: json === undefined ? body : JSON.stringify(json),
      signal,
      cache: "no-store",
    });
  } catch (error) {
    if (signal?.aborted) throw error;
    throw new ApiError({ code: "offline", detail: "서비스에 연결할 수 없습니다. 인터넷 연결을 확인한 뒤 다시 시도해 주세요." });
  }
  if (response.ok) return response;
  const failure = new ApiError(await problemOf(response));
  if (failure.status === 401) for (const listener of listeners) listener(failure);
  throw failure;
}

/** Send a request and read its JSON. */
export async function getJson(path, options) {
  return (await request(path, options)).json();
}

async function problemOf(response) {
  try {
    const problem = await response.json();
    if (problem && typeof problem.detail === "string") return problem;
  } catch {
    // no problem document: a proxy between answered
  }
  return { status: response.status, code: "bad_gateway", detail: `서비스가 응답하지 못했습니다(${response.status}). 잠시 후 다시 시도해 주세요.` };
}

/**
 * Read the events of a POST stream (the browser's EventSource can only GET).
 * @returns {AsyncGenerator<{type: string}>} the data of each event
 * @throws {ApiError} the stream was refused, or ended before its last event
 */
export async function* events(path, json, signal) {
  const response = await request(path, { method: "POST", json, signal, headers: { Accept: "text/event-stream" } });
  const reader = response.body.pipeThrough(new TextDecoderStream()).getReader();
  let rest = "";
  let last = "";
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) break;
      rest += value.replaceAll("\r", "");
      const frames = rest.split("\n\n");
      rest = frames.pop();
      for (const frame of frames) {
        const data = frame
          .split("\n")
          .filter((line) => line.startsWith("data:"))
          .map((line) => line.slice(5).replace(/^ /, ""))
          .join("\n");
        if (!data) continue;
        const event = JSON.parse(data);
        last = event.type;
        yield event;
      }
    }
  } catch (error) {
    if (signal?.aborted || error instanceof ApiError) throw error;
    throw new ApiError({ code: "offline", detail: "답변을 받는 중에 연결이 끊겼습니다." });
  } finally {
    reader.cancel().catch(() => {});
  }
  if (last !== "done" && last !== "error") throw new ApiError({ code: "offline", detail: "답변을 받는 중에 연결이 끊겼습니다." });
}

/** Have the browser keep a file that the service answered with, under the name that it gives. */
export async function saveFile(response, fallbackName) {
  const named = /filename\*=UTF-8''([^;]+)/i.exec(response.headers.get("Content-Disposition") ?? "");
  let name = fallbackName;
  try {
    if (named) name = decodeURIComponent(named[1]);
  } catch {
    // not well encoded: the fallback will do
  }
  const address = URL.createObjectURL(await response.blob());
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 10_000);
  return name;
}
