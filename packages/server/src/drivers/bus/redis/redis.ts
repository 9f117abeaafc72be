import type { Member } from "@easel/protocol/realtime";
import { Unavailable } from "../../unavailable.ts";
import { type Bus, type HoldOutcome, type Renewal, SHARED_PART } from "../bus.ts";
import { type Address, type Client, type LinkTimes, RedisLink } from "./redis-link.ts";
import * as scripts from "./redis-scripts.ts";
import { RedisTakes } from "./redis-takes.ts";
import { decodeTopic, encodeTopic, RedisTopics } from "./redis-topics.ts";

/** Something that a node has under its lease, as it is recorded there, with the topic as it is encoded. */
type Entry =
  | ["place", place: string, holder: string]
  | ["member", topic: string, member: string, connection: string];

/** What a bus on Redis tells its owner. */
export interface RedisEvents {
  /** The server cannot be reached. Methods are rejected until `onBack`. */
  onAway(cause: unknown): void;
  onBack(): void;
  /** A listener has thrown an error. */
  onError(error: unknown): void;
}

/**
 * Opens a bus on a Redis or Valkey server, which the nodes of an instance share. All its keys and channels begin with `prefix`. Commands and
 * messages share one connection: what a node publishes reaches every node in the same order, that of the server. Throws the client's error if
 * the first connection fails; `check` may reject it, too.
 */
export async function redis(
  address: Address,
  prefix: string,
  events: RedisEvents,
  check: (client: Client) => Promise<void> = async () => {},
  times: Partial<LinkTimes> = {},
): Promise<Bus> {
  const topics = new RedisTopics(prefix, events.onError);
  /** The entries that this node has under its lease, as JSON. They are compared with those of the server after a lost connection. */
  const held = new Set<string>();
  /** Whether the lease was renewed since the connection was made. */
  let isRenewed = true;
  let connections = 0;

  const link: RedisLink = new RedisLink(
    address,
    {
      prepare: (client) => topics.prepare(client),
      onAway(cause) {
        isRenewed = false;
        connections++;
        events.onAway(cause);
      },
      onBack() {
        events.onBack();
        topics.goOn((command) => link.run(command));
      },
    },
    times,
  );

  const run = (script: scripts.Script, key: string, ...values: (string | number)[]): Promise<unknown> =>
    runOn(script, [key], values);

  async function runOn(
    script: scripts.Script,
    keys: string[],
    values: (string | number)[],
  ): Promise<unknown> {
    const parameters = [String(keys.length), ...keys, ...values.map(String)];
    try {
      return await link.run((client) => client.sendCommand(["EVALSHA", script.sha, ...parameters]));
    } catch (error) {
      if (!(error instanceof Error && error.message.startsWith("NOSCRIPT"))) throw error;
      return link.run((client) => client.sendCommand(["EVAL", script.text, ...parameters]));
    }
  }

  /** Runs a script that adds an entry under a lease. The entry is forgotten if `isKept` returns false for the reply. */
  async function add<Reply>(
    entry: Entry,
    work: (text: string) => Promise<Reply>,
    isKept: (reply: Reply) => boolean,
  ): Promise<Reply> {
    if (!isRenewed) throw new Unavailable("the lease of this node is not renewed yet");
    const text = JSON.stringify(entry);
    const known = held.has(text);
    held.add(text);
    try {
      const reply = await work(text);
      if (!known && !isKept(reply)) held.delete(text);
      return reply;
    } catch (error) {
      held.delete(text);
      throw error;
    }
  }

  async function remove(entry: Entry): Promise<boolean> {
    const [kind, ...names] = entry;
    const text = JSON.stringify(entry);
    held.delete(text);
    const script = kind === "place" ? scripts.RELEASE : scripts.LEAVE;
    return (await run(script, prefix, ...names, text)) === 1;
  }

  /**
   * Compares what the server has under the lease with what the node has. Removes what the node has given up while the server was away.
   * Returns whether the server has all that the node has, and the members who departed.
   */
  async function reconcile(lease: string): Promise<Renewal> {
    const stored = new Set((await run(scripts.HELD, prefix, lease)) as string[]);
    const departed: Renewal["departed"] = [];
    for (const text of stored.difference(held)) {
      const entry = JSON.parse(text) as Entry;
      const present =
        entry[0] === "member" ? (await membersOf(entry[1])).find(({ id }) => id === entry[2]) : undefined;
      if ((await remove(entry)) && present !== undefined)
        departed.push({ topic: decodeTopic(entry[1]), member: present });
    }
    return { kept: held.isSubsetOf(stored), departed };
  }

  async function membersOf(encoded: string): Promise<Member[]> {
    const found = (await run(scripts.MEMBERS, prefix, encoded)) as string[];
    return pairs(found, (id, name) => ({ id, name: String(name) }));
  }

  const takes = new RedisTakes((keys, values) => runOn(scripts.TAKE, keys, values));
  const rateKey = (rateClass: string, owner: string) => `${prefix}rate ${rateClass} ${owner}`;

  await link.open();
  try {
    await link.run(check);
    await link.run((client) => topics.prepare(client));
    topics.goOn((command) => link.run(command));
  } catch (error) {
    link.close();
    throw error;
  }

  return {
    isShared: true,

    async take({ rateClass, owner, part = SHARED_PART }, limit, windowMs) {
      const reply = await takes.take(rateKey(rateClass, owner), part, limit, windowMs);
      const [allowed, remaining, refused, resetMs] = reply;
      return { allowed: allowed === 1, limit, remaining, refused, resetMs };
    },

    async giveBack({ rateClass, owner, part = SHARED_PART }) {
      await run(scripts.GIVE_BACK, rateKey(rateClass, owner), part);
    },

    publish: (topic, message) => topics.publish(topic, message, (command) => link.run(command)),
    subscribe: (topic, listener) => topics.subscribe(topic, listener, (command) => link.run(command)),
    // Whether another node listens is known to the server only, so every message is sent to it.
    hasListeners: () => true,
    onMissed: (listener) => topics.onMissed(listener),

    async renewLease(lease) {
      const connection = connections;
      const [kept, names] = (await run(scripts.RENEW, prefix, lease)) as [number, string[]];
      const departed: Renewal["departed"] = [];
      for (let at = 0; at < names.length; at += 3) {
        const [topic = "", id = "", name = ""] = names.slice(at, at + 3);
        departed.push({ topic: decodeTopic(topic), member: { id, name } });
      }
      if (isRenewed) return { kept: kept === 1, departed };
      const found = await reconcile(lease);
      if (connection === connections) isRenewed = true;
      return { kept: kept === 1 && found.kept, departed: [...departed, ...found.departed] };
    },

    hold: (place, { id, owner, lease }, { all, each }) =>
      add(
        ["place", place, id],
        async (text) => {
          const limits = [all, each].map((limit) => Math.min(limit, Number.MAX_SAFE_INTEGER));
          return (await run(scripts.HOLD, prefix, place, id, owner, lease, text, ...limits)) as HoldOutcome;
        },
        (outcome) => outcome === "held",
      ),

    async release(place, holder) {
      await remove(["place", place, holder]);
    },

    async holders(place) {
      const found = (await run(scripts.HOLDERS, prefix, place)) as string[];
      return pairs(found, (owner, holders) => ({ owner, holders: Number(holders) })).sort(
        (a, b) => b.holders - a.holders,
      );
    },

    join(topic, { id, name }, connection, lease) {
      const encoded = encodeTopic(topic);
      return add(
        ["member", encoded, id, connection],
        async (text) => (await run(scripts.JOIN, prefix, encoded, id, name, connection, lease, text)) === 1,
        () => true,
      );
    },

    leave: (topic, member, connection) => remove(["member", encodeTopic(topic), member, connection]),
    members: (topic) => membersOf(encodeTopic(topic)),

    async close() {
      link.close();
    },
  };
}

/** Reads a list in which two values in turn belong together. */
function pairs<Result>(list: string[], read: (first: string, second: string | number) => Result): Result[] {
  const results: Result[] = [];
  for (let at = 0; at + 1 < list.length; at += 2)
    results.push(read(list[at] as string, list[at + 1] as string));
  return results;
}
