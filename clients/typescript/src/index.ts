/** A typed client of Bizi RAG: every route of its HTTP API, and answers as they are written. */

import createClient, { type Client } from "openapi-fetch";
import { EventSourceParserStream } from "eventsource-parser/stream";
import type { components, paths } from "./schema.js";

export type { components, paths } from "./schema.js";

type Schemas = components["schemas"];

export type BiziClient = Client<paths>;
export type ChatRequest = Schemas["ChatRequest"];
export type ChatResponse = Schemas["ChatResponse"];
export type Problem = Schemas["Problem"];

/** An event of an answer, told apart by `type`. The last one is `done`; an `error` is thrown as a `ProblemError`. */
export type AnswerEvent =
  | Schemas["StatusEvent"]
  | Schemas["SourceEvent"]
  | Schemas["TokenEvent"]
  | Schemas["CheckEvent"]
  | Schemas["ActionEvent"]
  | Schemas["ReplaceEvent"]
  | Schemas["DoneEvent"];

/** A refusal or a failure of the service, in its own words: `problem` is its problem document. */
export class ProblemError extends Error {
  override readonly name = "ProblemError";

  constructor(readonly problem: Problem) {
    super(`${problem.title}: ${problem.detail}`);
  }
}

/** The stream ended before its last event: the service is gone, or something between it and here. */
export class StreamBroken extends Error {
  override readonly name = "StreamBroken";
}

/**
 * A client of the service at `baseUrl`. Its calls are those of openapi-fetch: `client.POST("/api/chat", { body })`
 * gives `{ data }`, or `{ error }` with the problem document; `answered` makes an exception of that.
 */
export function connect(baseUrl: string, apiKey = ""): BiziClient {
  return createClient<paths>({ baseUrl, headers: apiKey ? { "X-API-Key": apiKey } : {} });
}

/**
 * The data of a call.
 * @throws {ProblemError} the service refused or failed
 */
export function answered<T>({ data, error, response }: { data?: T; error?: unknown; response: Response }): T {
  if (data === undefined) throw failure(error, response);
  return data;
}

/**
 * Ask, and follow the answer as it is written. Leaving the loop, or aborting `signal`, stops the service, too.
 * @throws {ProblemError} the service refused, or failed on the way
 * @throws {StreamBroken} the connection ended before the answer did
 */
export async function* stream(
  client: BiziClient,
  question: ChatRequest,
  { assistant, signal }: { assistant?: string; signal?: AbortSignal } = {},
): AsyncGenerator<AnswerEvent, void, undefined> {
  const options = { body: question, parseAs: "stream" as const, ...(signal ? { signal } : {}) };
  const body = answered(
    assistant === undefined
      ? await client.POST("/api/chat/stream", options)
      : await client.POST("/api/assistants/{name}/chat/stream", { ...options, params: { path: { name: assistant } } }),
  ) as ReadableStream<Uint8Array>;
  for await (const { data } of frames(body, signal)) {
    const event = JSON.parse(data) as AnswerEvent | Schemas["ErrorEvent"];
    if (event.type === "error") throw new ProblemError(event.problem);
    yield event;
    if (event.type === "done") return;
  }
  throw new StreamBroken("the stream ended before its last event");
}

async function* frames(body: ReadableStream<Uint8Array>, signal: AbortSignal | undefined) {
  const decoder = new TextDecoderStream() as ReadableWritablePair<string, Uint8Array>;
  const reader = body.pipeThrough(decoder).pipeThrough(new EventSourceParserStream()).getReader();
  try {
    for (;;) {
      const { value, done } = await reader.read();
      if (done) return;
      yield value;
    }
  } catch (error) {
    signal?.throwIfAborted();
    throw new StreamBroken("the connection broke off", { cause: error });
  } finally {
    await reader.cancel().catch(() => {}); // it may have ended already
  }
}

function failure(error: unknown, response: Response): Error {
  const isProblem = typeof error === "object" && error !== null && "code" in error && "detail" in error;
  return isProblem
    ? new ProblemError(error as Problem)
    : new Error(`the service answered ${response.status}`, { cause: error });
}
