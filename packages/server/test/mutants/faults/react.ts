import { type Fault, fault } from "../fault.ts";

const LIVE = "packages/sdk/src/live/live-data.ts";
const RECORDS = "packages/sdk/src/live/live-records.ts";
const READER = "packages/sdk/src/live/record-reader.ts";
const VALUE_TEST = "packages/sdk/test/live-value.test.ts";
const RECORDS_TEST = "packages/sdk/test/live-records.test.ts";
const LIST_TEST = "packages/sdk/test/live-list.test.ts";
const CHANNEL_TEST = "packages/react/test/live-channel.test.ts";

/** Deliberate mistakes in live lists and in the React hooks. */
export const react: Fault[] = [
  fault(
    "live: changes that overtake each other are not read again",
    "packages/sdk/src/live/arrivals.ts",
    "isUncertain: (change) => uncertain.has(change)",
    "isUncertain: () => false",
    LIST_TEST,
  ),
  fault(
    "live: reads are not spaced",
    "packages/sdk/src/live/live-data.ts",
    "setTimeout(read, pace.delay())",
    "setTimeout(read, 10)",
    LIST_TEST,
  ),
  fault(
    "live: a watch without a connection waits for one",
    "packages/sdk/src/realtime/watch.ts",
    "if (isRunning) poll();",
    "",
    "packages/sdk/test/watch-fallback.test.ts",
  ),
  fault(
    "react: a read that began before a write takes it back",
    LIVE,
    "repeat = written !== writtenBefore;",
    "repeat = false;",
    VALUE_TEST,
  ),
  fault(
    "react: a value is read while a write is unanswered",
    LIVE,
    "if (isReading || unanswered > 0) return;",
    "if (isReading) return;",
    VALUE_TEST,
  ),
  fault(
    "react: writes overtake each other",
    LIVE,
    "const promise = queue.then(send).then(",
    "const promise = send().then(",
    VALUE_TEST,
  ),
  fault(
    "react: a refused write takes back the others",
    LIVE,
    "effects = effects.filter((each) => each !== effect);",
    "effects = [];",
    RECORDS_TEST,
  ),
  fault(
    "react: a failed read forgets what was to be read",
    LIVE,
    "if (repeat) changes = [...taken, ...changes];",
    "",
    "packages/sdk/test/live-records.test.ts",
  ),
  fault(
    "react: a new record is mounted again when it is confirmed",
    RECORDS,
    "keys.set(record.id, key);",
    "",
    RECORDS_TEST,
  ),
  fault(
    "react: a write of a new record is sent with its provisional id",
    RECORDS,
    "const idOf = (id: string) => ids.get(id) ?? Promise.resolve(id);",
    "const idOf = (id: string) => Promise.resolve(id);",
    RECORDS_TEST,
  ),
  fault(
    "react: records of pages that are not loaded appear",
    READER,
    "written.filter((id) => isInside(data, id))",
    "written",
    RECORDS_TEST,
  ),
  fault(
    "react: a filtered list keeps records that do not match any more",
    READER,
    "(written.length > 0 && !isByCreation)",
    "false",
    RECORDS_TEST,
  ),
  fault(
    "react: StrictMode ends the watch",
    "packages/sdk/src/live/user-count.ts",
    "if (count > 0) return;",
    "",
    VALUE_TEST,
  ),
  fault(
    "react: a channel stays open without components",
    "packages/react/src/live-channel.ts",
    "channel?.close();",
    "",
    CHANNEL_TEST,
  ),
  fault(
    "react: handlers of an old rendering get the messages",
    "packages/react/src/use-latest.ts",
    "latest.current = value;",
    "",
    "packages/server/test/primitives/browser-react.test.ts",
  ),
];
