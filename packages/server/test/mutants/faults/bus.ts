import { type Fault, fault } from "../fault.ts";

const SCRIPTS = "packages/server/src/drivers/bus/redis/redis-scripts.ts";
const LINK = "packages/server/src/drivers/bus/redis/redis-link.ts";
const TOPICS = "packages/server/src/drivers/bus/redis/redis-topics.ts";
const REDIS = "packages/server/src/drivers/bus/redis/redis.ts";
const OPEN = "packages/server/src/drivers/bus/redis/open-redis.ts";
const CONTRACT = "packages/server/test/drivers/redis-bus.test.ts";
const NODES = "packages/server/test/drivers/redis-nodes.test.ts";
const OUTAGE = "packages/server/test/drivers/redis-outage.test.ts";
const START = "packages/server/test/drivers/redis-start.test.ts";
const MISSED = "packages/server/test/primitives/realtime/realtime-missed.test.ts";

/** Faults of the bus on Redis, and of what a node does after it was cut off from the bus. */
export const bus: Fault[] = [
  fault(
    "Redis: a limit lets one more through",
    SCRIPTS,
    "local allowed = taken < limit",
    "local allowed = taken <= limit",
    CONTRACT,
    NODES,
  ),
  fault(
    "Redis: an owner has buckets without a limit",
    SCRIPTS,
    "and not hasRoom(key, window) then",
    "and false then",
    CONTRACT,
  ),
  fault(
    "Redis: buckets never expire",
    SCRIPTS,
    'if isNew and redis.call("PEXPIRE"',
    'if false and redis.call("PEXPIRE"',
    NODES,
  ),
  fault(
    "Redis: more is given back than was taken",
    SCRIPTS,
    "if tonumber(taken) == 0 then return end",
    "",
    CONTRACT,
  ),
  fault(
    "Redis: holders of dead nodes count",
    SCRIPTS,
    "if isLive(string.sub(holders[at + 1], 1, line - 1)) then",
    "if line then",
    CONTRACT,
  ),
  fault(
    "Redis: a place has a holder too many",
    SCRIPTS,
    "if all >= tonumber(ARGV[6])",
    "if all > tonumber(ARGV[6])",
    CONTRACT,
    NODES,
  ),
  fault(
    "Redis: an owner has a holder too many",
    SCRIPTS,
    "if own >= tonumber(ARGV[7])",
    "if own > tonumber(ARGV[7])",
    CONTRACT,
  ),
  fault(
    "Redis: a member departs with the first of several connections",
    SCRIPTS,
    "if next(present.connections) == nil then",
    "if true then",
    CONTRACT,
  ),
  fault(
    "Redis: leases of dead nodes are never removed",
    SCRIPTS,
    'redis.call("ZREM", leases, expired)',
    "",
    NODES,
  ),
  fault(
    "Redis: what dead nodes had is never removed",
    SCRIPTS,
    'redis.call("DEL", prefix .. "held " .. expired)',
    "",
    NODES,
  ),
  fault(
    "Redis: members of dead nodes are present",
    SCRIPTS,
    "    if isLive(lease) then\n      present.id",
    "    if lease then\n      present.id",
    CONTRACT,
  ),
  fault("Redis: two instances share their channels", TOPICS, "prefix}topic", "prefix.slice(99)}topic", NODES),
  fault(
    "Redis: scripts that the server has forgotten fail",
    REDIS,
    'error.message.startsWith("NOSCRIPT")',
    "false",
    NODES,
  ),
  fault(
    "Redis: a certificate is not verified",
    OPEN,
    "{ ...place, tls: true }",
    "{ ...place, tls: true, rejectUnauthorized: false }",
    START,
  ),
  fault(
    "Redis: a node of a cluster is accepted",
    OPEN,
    'fact("cluster_enabled") === "1"',
    'fact("cluster_enabled") === "yes"',
    "packages/server/src/drivers/bus/redis/open-redis.test.ts",
  ),
  fault(
    "Redis: a command waits for a server that does not respond",
    LINK,
    "} else if (now - waits.since >= command) {",
    "} else if (waits.since < 0) {",
    OUTAGE,
  ),
  fault(
    "Redis: a blocked event loop cuts the connection",
    LINK,
    "if (connection.ended < until) this.#drop",
    "this.#drop",
    OUTAGE,
  ),
  fault("Redis: a replica is kept", LINK, '&& !cause.message.startsWith("READONLY")', "", OUTAGE),
  fault(
    "Redis: places are given before the lease is renewed",
    REDIS,
    "if (!isRenewed) throw",
    "if (connections < 0) throw",
    OUTAGE,
  ),
  fault(
    "Redis: what a node gave up while the bus was away stays held",
    REDIS,
    "stored.difference(held)",
    "new Set<string>()",
    OUTAGE,
  ),
  fault(
    "Redis: a node does not notice that its places are lost",
    REDIS,
    "kept: held.isSubsetOf(stored)",
    "kept: stored.size > 0",
    OUTAGE,
  ),
  fault(
    "Redis: messages are delivered before those missed are told of",
    TOPICS,
    "if (this.#early !== null) return void",
    "if (this.#topics.size < 0) return void",
    "packages/server/src/drivers/bus/redis/redis-topics.test.ts",
  ),
  fault(
    "Redis: nobody learns of a message that was not published",
    TOPICS,
    "if (this.#unpublished.size <= MAX_UNPUBLISHED) this.#unpublished.add(topic);",
    "",
    OUTAGE,
  ),
  fault(
    "Redis: a listener that throws stops the others",
    TOPICS,
    "      this.#onError(error);",
    "      throw error;",
    OUTAGE,
  ),
  fault(
    "bus: access is not rechecked after a node was cut off",
    "packages/server/src/primitives/realtime/hub.ts",
    "each.messagesMissed(isMissed);\n    void this.#recheckAll(new Set());",
    "each.messagesMissed(isMissed);",
    MISSED,
  ),
  fault(
    "bus: no resync after a node was cut off",
    "packages/server/src/primitives/realtime/connection.ts",
    "    this.#watches.messagesMissed(isMissed);",
    "",
    MISSED,
  ),
  fault(
    "bus: presence stays as it was before a node was cut off",
    "packages/server/src/primitives/realtime/connection.ts",
    "      await this.#sendMissed();\n",
    "",
    MISSED,
  ),
  fault(
    "bus: the lease is not renewed when the bus is back",
    "packages/server/src/instance/lease.ts",
    "bus.onMissed(() => this.#renewAgain())",
    "bus.onMissed(() => {})",
    MISSED,
  ),
];
