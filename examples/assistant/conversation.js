/*
 * A conversation is a list of turns: `{ id, question, answer, state, problem, usage, cost }`. `state` is `open` while the answer is being written, then `done`,
 * `stopped` or `failed`. A complete answer has `usage` and `cost`, a failed one has a `problem`. Each turn is a value of its own in the
 * viewer's scope, because a value has at most 64 KiB.
 */

import { explain } from "./messages.js";

const PREFIX = "turn:";

/** The maximum number of turns to keep. Each of them is a request when the conversation is removed, and requests a minute are limited. */
const KEPT = 60;

/** Removes the answer of a turn, so that another one can be written. */
export const reopen = (turn) =>
  Object.assign(turn, { answer: "", state: "open", problem: "", usage: null, cost: null });

/** Returns a new turn. Ids are times, so that the keys of turns are in the order of the conversation. */
export function newTurn(question, turns) {
  const last = Number(turns.at(-1)?.id ?? 0);
  return reopen({ id: String(Math.max(Date.now(), last + 1)), question });
}

/** Reads the conversation. */
export async function readTurns() {
  const { entries } = await easel.kv.user.list({ prefix: PREFIX, limit: 1000 });
  return entries.map(({ key, value }) => {
    const turn = { ...value, id: key.slice(PREFIX.length) };
    if (turn.state !== "open") return turn;
    // The page was closed. If it noticed that the answer broke off, it has stored the same text.
    return { ...turn, state: "failed", problem: explain({ code: "AI_STREAM_TRUNCATED" }) };
  });
}

/** Stores a turn. */
export const keepTurn = ({ id, ...value }) => easel.kv.user.set(PREFIX + id, value);

/** Removes turns, one after the other, from the page's list as well as from the service. */
async function remove(turns, count) {
  for (let removed = 0; removed < count; removed++) {
    await easel.kv.user.delete(PREFIX + turns[0].id);
    turns.shift();
  }
}

/** Removes the oldest turns of a long conversation. */
export const removeOldest = (turns) => remove(turns, Math.max(0, turns.length - KEPT));

/** Removes the whole conversation. */
export const removeAll = (turns) => remove(turns, turns.length);
