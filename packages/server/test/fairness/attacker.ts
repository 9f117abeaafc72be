import { text } from "node:stream/consumers";
import { hostileOf } from "./attack.ts";
import { ATTACKS } from "./attacks.ts";
import type { Site } from "./site.ts";

/*
 * The process of the hostile person. Its arguments are the site as JSON and the names of attacks. It attacks until its standard input ends,
 * and then prints the outcomes of each attack as JSON: how many requests got which status.
 */

const [, , site = "", ...names] = process.argv;
const abort = new AbortController();
const seen = new Map(names.map((name) => [name, new Map<number, number>()]));
const running = ATTACKS.filter(({ name }) => seen.has(name)).map((attack) =>
  attack
    .run(hostileOf(JSON.parse(site) as Site, abort.signal, seen.get(attack.name) ?? new Map()))
    .catch((error: unknown) => process.stderr.write(`${attack.name}: ${error}\n`)),
);
await text(process.stdin);
abort.abort();
await Promise.all(running);
process.stdout.write(
  JSON.stringify(
    Object.fromEntries([...seen].map(([name, statuses]) => [name, Object.fromEntries(statuses)])),
  ),
  () => process.exit(0),
);
