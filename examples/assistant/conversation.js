/*
 * A conversation is a list of turns: `{ id, question, answer, state, problem, usage, cost }`. While the answer is being written, `state`
 * is `open`. Then it is `done`, `stopped` or `failed`. A complete answer has `usage` and `cost`, and a failed one has a `problem`. Each
 * turn has a key of its own in `easel.kv.user`, because a value has at most 64 KiB.
 */

import { explain, UNREACHABLE } from "./messages.js";

const PREFIX = "turn:";

/**
 * The maximum number of turns to store. To remove a conversation, the page sends one request for each turn, and the number of requests per
 * minute is limited.
 */
const KEPT = 60;

/** Removes the answer of a turn, so that the model can answer the question again. Returns the turn. */
export const reopen = (turn) =>
  Object.assign(turn, { answer: "", state: "open", problem: "", usage: null, cost: null });

/**
 * Returns a new turn without an answer. Its id is the current time in ms, so that the keys of the turns sort in the order of the
 * conversation.
 */
export function newTurn(question, turns) {
  const last = Number(turns.at(-1)?.id ?? 0);
  return reopen({ id: String(Math.max(Date.now(), last + 1)), question });
}

/** Resolves with the stored turns, the oldest first. */
export async function readTurns() {
  const { entries } = await easel.kv.user.list({ prefix: PREFIX, limit: 1000 });
  return entries.map(({ key, value }) => {
    const turn = { ...value, id: key.slice(PREFIX.length) };
    if (turn.state !== "open") return turn;
    // The page was left, or lost its connection, while the answer was being written.
    return { ...turn, state: "failed", problem: explain({ code: "AI_STREAM_TRUNCATED" }) };
  });
}

/**
 * Stores a turn. A turn whose question has not reached the service is stored as open: the page cannot know whether it has no connection or
 * is just being left, and neither matters to who reads the conversation later.
 */
export function keepTurn({ id, ...value }) {
  const isCut = value.problem === UNREACHABLE;
  return easel.kv.user.set(PREFIX + id, isCut ? { ...value, state: "open", problem: "" } : value);
}

/** Removes the first `count` turns from the array `turns` and from the stored conversation, one after the other. */
async function remove(turns, count) {
  for (let removed = 0; removed < count; removed++) {
    await easel.kv.user.delete(PREFIX + turns[0].id);
    turns.shift();
  }
}

/** Removes the oldest turns until at most `KEPT` are left. */
export const removeOldest = (turns) => remove(turns, Math.max(0, turns.length - KEPT));

/** Removes the whole conversation. */
export const removeAll = (turns) => remove(turns, turns.length);
