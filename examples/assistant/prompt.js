import { MAX_TOKENS, MODEL, SYSTEM } from "./model.js";

/** The maximum number of bytes of a request. */
const REQUEST_BYTES = 256 * 1024;

const sizeOf = (value) => new TextEncoder().encode(JSON.stringify(value)).length;

/**
 * Returns the question and the answer of an earlier turn as two messages. Returns no messages if the turn has no answer, because the model
 * expects questions and answers to alternate.
 */
function messagesOf({ question, answer }) {
  if (answer === "") return [];
  return [
    { role: "user", content: question },
    { role: "assistant", content: answer },
  ];
}

/**
 * Returns `{ messages, first }`. `messages` has the question of `turn` and, before it, as many earlier turns as fit into a request. `first`
 * is the oldest turn in it.
 */
export function promptFor(turn, turns) {
  let messages = [{ role: "user", content: turn.question }];
  let first = turn;
  let size = sizeOf({ model: MODEL, messages, system: SYSTEM, maxTokens: MAX_TOKENS });
  for (const earlier of turns.slice(0, turns.indexOf(turn)).reverse()) {
    const more = messagesOf(earlier);
    for (const message of more) size += sizeOf(message) + ",".length;
    if (size > REQUEST_BYTES) break;
    messages = [...more, ...messages];
    first = earlier;
  }
  return { messages, first };
}
