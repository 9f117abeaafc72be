import { MAX_TOKENS, MODEL, SYSTEM } from "./model.js";

/** The maximum number of bytes of a request. */
const REQUEST_BYTES = 256 * 1024;

const sizeOf = (value) => new TextEncoder().encode(JSON.stringify(value)).length;

/** Returns the messages of a turn that precedes a question: none if it has no answer, because roles alternate. */
function messagesOf({ question, answer }) {
  if (answer === "") return [];
  return [
    { role: "user", content: question },
    { role: "assistant", content: answer },
  ];
}

/**
 * Returns the messages for the question of a turn, with as many of the turns before it as the request has room for, and `first`, the first
 * turn whose messages are included.
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
