import assert from "node:assert/strict";
import { test } from "node:test";
import type { Client } from "./redis-link.ts";
import { RedisTopics } from "./redis-topics.ts";

type Receive = (message: string, channel: string) => void;

/** A client that confirms each subscription, and what it was sent. `receive` lets a message arrive. */
class FakeClient {
  readonly sent: [channel: string, message: string][] = [];
  readonly early: [message: string, channel: string][];
  receive: Receive = () => assert.fail("nobody has subscribed");

  /** `early` are messages that arrive together with the confirmation of a subscription. */
  constructor(early: [message: string, channel: string][] = []) {
    this.early = early;
  }

  async subscribe(_channels: string | string[], receive: Receive): Promise<void> {
    this.receive = receive;
    for (const each of this.early) receive(...each);
  }

  async unsubscribe(): Promise<void> {}

  async publish(channel: string, message: string): Promise<void> {
    this.sent.push([channel, message]);
  }

  readonly run = <Reply>(command: (client: Client) => Promise<Reply>): Promise<Reply> =>
    command(this as unknown as Client);
}

const prepare = (topics: RedisTopics, client: FakeClient) => topics.prepare(client as unknown as Client);
const away = () => Promise.reject(new Error("away"));

/** Topics on a first connection, with a listener of the topic `a` and one of missed messages, which write to `heard`. */
async function start() {
  const heard: string[] = [];
  const topics = new RedisTopics("x:", (error) => heard.push(`error ${error}`));
  const first = new FakeClient();
  await prepare(topics, first);
  topics.onMissed((isMissed) => heard.push(`missed a: ${isMissed("a")}, b: ${isMissed("b")}`));
  topics.goOn(first.run);
  await topics.subscribe("a", (message) => heard.push(message), first.run);
  return { topics, first, heard };
}

test("after the first connection, nothing was missed", async () => {
  const { first, heard } = await start();
  first.receive("1", 'x:topic "a"');
  assert.deepEqual(heard, ["1"]);
});

test("messages of a new connection are delivered once the missed ones were told of", async () => {
  const { topics, heard } = await start();
  const second = new FakeClient([
    ["1", 'x:topic "a"'],
    ['["b"]', "x:missed"],
    ["2", 'x:topic "a"'],
  ]);
  await prepare(topics, second);
  assert.deepEqual(heard, []);
  topics.goOn(second.run);
  second.receive("3", 'x:topic "a"');
  assert.deepEqual(heard, ["missed a: true, b: true", "1", "missed a: false, b: true", "2", "3"]);
});

test("the topics of messages that were not published are told to all nodes, once", async () => {
  const { topics } = await start();
  for (const topic of ["a", "b", "a"]) await assert.rejects(topics.publish(topic, "lost", away));
  const second = new FakeClient();
  await prepare(topics, second);
  topics.goOn(second.run);
  assert.deepEqual(second.sent, [["x:missed", '["a","b"]']]);
  await topics.publish("a", "1", second.run);
  assert.deepEqual(second.sent.slice(1), [['x:topic "a"', "1"]]);
});

test("a message that was refused on a connection that goes on is told with the next one", async () => {
  const { topics, first } = await start();
  await assert.rejects(topics.publish("b", "lost", away));
  await topics.publish("a", "1", first.run);
  assert.deepEqual(first.sent, [
    ['x:topic "a"', "1"],
    ["x:missed", '["b"]'],
  ]);
});

test("many such topics are told as all of them, and take no more memory", async () => {
  const { topics, first, heard } = await start();
  for (let each = 0; each < 5_000; each++) await assert.rejects(topics.publish(`${each}`, "lost", away));
  await topics.publish("a", "1", first.run);
  assert.deepEqual(first.sent[1], ["x:missed", "null"]);
  first.receive("null", "x:missed");
  assert.deepEqual(heard, ["missed a: true, b: true"]);
});

test("telling that fails is repeated", async () => {
  const { topics, first } = await start();
  await assert.rejects(topics.publish("b", "lost", away));
  topics.goOn(away);
  await new Promise(setImmediate);
  await topics.publish("a", "1", first.run);
  assert.deepEqual(first.sent.at(-1), ["x:missed", '["b"]']);
});
