/** The client against the running service that `BIZI_URL` names, with the key in `BIZI_KEY`, and against answers that go wrong. */

import assert from "node:assert/strict";
import { test } from "node:test";
import createClient from "openapi-fetch";
import { type AnswerEvent, ProblemError, StreamBroken, answered, connect, type paths, stream } from "../src/index.js";

const URL = process.env["BIZI_URL"] ?? "";
const client = connect(URL, process.env["BIZI_KEY"]);
const QUESTION = "부가가치세는 언제까지 신고해야 하나요?";
const SLOW = "퇴직금은 언제까지 줘야 하나요?"; // the answer to it does not come to an end

async function collected(events: AsyncIterable<AnswerEvent>): Promise<AnswerEvent[]> {
  const all = [];
  for await (const event of events) all.push(event);
  return all;
}

function told(events: AnswerEvent[]): string {
  return events.map((event) => (event.type === "token" ? event.content : "")).join("");
}

test("an answer has its sources", async () => {
  const answer = answered(await client.POST("/api/chat", { body: { message: QUESTION } }));
  assert.match(answer.content, /25일/u);
  assert.ok(answer.content.includes(`[${answer.sources?.[0]?.index}]`));
});

test("a stream gives typed events of the same answer", async () => {
  const events = await collected(stream(client, { message: QUESTION }));
  const whole = answered(await client.POST("/api/chat", { body: { message: QUESTION } }));
  assert.equal(told(events), whole.content);
  assert.equal(events.at(0)?.type, "status");
  assert.equal(events.at(-1)?.type, "done");
  assert.ok(events.some((event) => event.type === "check" && event.check.verdict === "supported"));
  assert.equal(told(await collected(stream(client, { message: QUESTION }, { assistant: "bizi" }))), whole.content);
});

test("an answer may be left in the middle", async () => {
  for await (const event of stream(client, { message: SLOW })) {
    if (event.type === "token") break;
  }
});

test("an aborted stream ends at once", async () => {
  const stopping = new AbortController();
  const reading = async () => {
    for await (const event of stream(client, { message: SLOW }, { signal: stopping.signal })) {
      if (event.type === "token") stopping.abort();
    }
  };
  await assert.rejects(reading, { name: "AbortError" });
});

test("a calculator computes", async () => {
  const body = { hourly_wage: 11000, days_per_week: 5, hours_per_day: 5 };
  const sums = answered(await client.POST("/api/calculate/weekly_holiday_pay", { body }));
  assert.match(sums.conclusion, /55,000원/u);
});

test("refusals are thrown in the words of the service", async () => {
  const empty = await client.POST("/api/chat", { body: { message: "" } });
  assert.equal(empty.error?.code, "validation_failed");
  assert.throws(
    () => answered(empty),
    (error) => error instanceof ProblemError && error.problem.errors?.[0]?.path === "message" && /[가-힣]/u.test(error.message),
  );
  const stranger = connect(URL);
  const isUnauthorized = (error: unknown) => error instanceof ProblemError && error.problem.code === "unauthorized";
  await assert.rejects(async () => answered(await stranger.GET("/api/assistants")), isUnauthorized);
  await assert.rejects(collected(stream(stranger, { message: QUESTION })), isUnauthorized);
});

const FRAME = 'event: token\ndata: {"type": "token", "content": "앞"}\nid: 1\n\n';
const PROBLEM = { type: "about:blank", title: "시간 초과", status: 504, detail: "늦었습니다.", instance: "/", code: "timeout", request_id: "r", errors: [] };

function answering(text: string, status = 200) {
  const sent = async () => new Response(text, { status, headers: { "Content-Type": "text/event-stream" } });
  return createClient<paths>({ baseUrl: "http://service", fetch: sent });
}

test("what fails on the way is thrown", async () => {
  const failing = `${FRAME}event: error\ndata: ${JSON.stringify({ type: "error", problem: PROBLEM })}\nid: 2\n\n`;
  await assert.rejects(collected(stream(answering(failing), { message: QUESTION })), ProblemError);
  await assert.rejects(collected(stream(answering(FRAME), { message: QUESTION })), StreamBroken);
  await assert.rejects(collected(stream(answering("<html>bad gateway</html>", 502), { message: QUESTION })), /502/u);
});
