import assert from "node:assert/strict";
import { randomInt } from "node:crypto";
import { test } from "node:test";
import { setImmediate as turn } from "node:timers/promises";
import type { TokenUsage } from "@easel/protocol/ai";
import fc from "fast-check";
import { newId } from "../../../src/crypto/ids.ts";
import type { Prompt } from "../../../src/drivers/ai/ai.ts";
import { anthropic } from "../../../src/drivers/ai/anthropic.ts";
import { openai } from "../../../src/drivers/ai/openai.ts";
import { SdkAi } from "../../../src/drivers/ai/sdk-ai.ts";
import { asKeys, type Db } from "../../../src/drivers/db/db.ts";
import { costOf, highestCost } from "../../../src/organisation/ai/prices.ts";
import { settleLost } from "../../../src/organisation/ai/reservations.ts";
import { capOf, type Spender, spendRows } from "../../../src/organisation/ai/spend-caps.ts";
import { begin, highestPromptTokens } from "../../../src/primitives/ai/completion.ts";
import { onDatabases } from "../../drivers/databases.ts";
import { Ledger, SETTINGS } from "../../organisation/ai-ledger.ts";
import { type Ending, type Piece, type Script, WorkingProvider } from "./working-provider.ts";

/** 10 rounds of 50 games on each of two engines. */
const ROUNDS = 10;
const GAMES = 50;
const AT_ONCE = 25;

const PRICE = { input: 3, output: 15, cacheWrite: 3.75, cacheRead: 0.3 };
const CAPS = {
  ...SETTINGS,
  "ai.userDailyUsd": 0.06,
  "ai.canvasMonthlyUsd": 0.15,
  "ai.guestUsd": 0.03,
  "ai.instanceMonthlyUsd": 0.25,
};
/** Shorter than that of the service, so that a silent provider does not delay the test. Others may time out as well. */
const IDLE_MS = 25;

const WIRES = { anthropic, openai };

/** What the client does after it has read a number of events, if the response has as many. */
type Client = "reads on" | "leaves before" | "leaves" | "stops reading" | "crashes";

interface Game {
  person: number;
  canvas: number;
  prompt: Prompt;
  script: Script;
  client: Client;
  events: number;
}

const share = fc.oneof(fc.constant(1), fc.double({ min: 0, max: 1, noNaN: true }));
const text = fc.oneof(fc.string({ maxLength: 60 }), fc.string({ unit: "grapheme", maxLength: 600 }));

const piece = fc
  .record({ text: text.filter((each) => each !== ""), part: share, thinking: fc.nat(9), hidden: fc.nat(400) })
  .map(({ text, part, thinking, hidden }): Piece => {
    const bytes = Buffer.byteLength(text);
    return thinking === 0
      ? { text, tokens: bytes + hidden, thinking: true }
      : { text, tokens: Math.ceil(bytes * part), thinking: false };
  });

const ending = fc.oneof(
  { weight: 4, arbitrary: fc.constant<Ending>({ type: "complete", told: true }) },
  { weight: 1, arbitrary: fc.constant<Ending>({ type: "complete", told: false }) },
  {
    weight: 3,
    arbitrary: fc
      .constantFrom(400, 401, 408, 429, 500, 503, 504, 529)
      .map((status): Ending => ({ type: "status", status })),
  },
  {
    weight: 5,
    arbitrary: fc
      .constantFrom("unreachable", "reset", "error event", "truncated", "silence")
      .map((type): Ending => ({ type })),
  },
);

const game = fc
  .record({
    person: fc.nat(5),
    canvas: fc.nat(1),
    system: text,
    content: text,
    wire: fc.constantFrom("anthropic" as const, "openai" as const),
    maxTokens: fc.integer({ min: 1, max: 1_500 }),
    input: fc.record({ all: share, cached: share, written: share }),
    pieces: fc.array(piece, { maxLength: 6 }),
    ending,
    unseen: fc.oneof(fc.constant(1e6), fc.nat(300)),
    client: fc.constantFrom<Client>(
      "reads on",
      "reads on",
      "leaves before",
      "leaves",
      "leaves",
      "stops reading",
      "crashes",
    ),
    events: fc.nat(4),
  })
  .map(
    ({
      person,
      canvas,
      system,
      content,
      wire,
      maxTokens,
      input,
      pieces,
      ending,
      unseen,
      client,
      events,
    }): Game => {
      const prompt = { model: "m", system, messages: [{ role: "user" as const, content }], maxTokens };
      const all = Math.floor(highestPromptTokens(prompt) * input.all);
      const cacheReadInputTokens = all - Math.ceil(all * input.cached);
      // OpenAI's usage has no cache writes.
      const cacheCreationInputTokens =
        wire === "openai" ? 0 : Math.floor((all - cacheReadInputTokens) * input.written);
      const inputTokens = all - cacheReadInputTokens - cacheCreationInputTokens;
      // Anthropic tells the input in any case, and then no output.
      const told = wire === "anthropic" && ending.type === "complete" ? { ...ending, told: true } : ending;
      return {
        person,
        canvas,
        prompt,
        script: {
          wire,
          maxTokens,
          input: { inputTokens, cacheCreationInputTokens, cacheReadInputTokens },
          pieces,
          ending: told,
          unseen,
        },
        client,
        events,
      };
    },
  );

/** Plays a game. Returns the tokens that the provider has worked on, or null if a cap has refused the request. */
async function play(
  { prompt, script, client, events: count }: Game,
  spender: Spender,
  ledger: Ledger,
): Promise<TokenUsage | null> {
  const provider = new WorkingProvider(script);
  const ai = new SdkAi(WIRES[script.wire]("key", "http://provider/v1", provider.fetch), IDLE_MS);
  const env = {
    ...ledger.env,
    // A process that has crashed renews no leases.
    lease: { id: newId(), held: new Set<string>() },
    config: { aiProvider: script.wire, aiPrices: { m: PRICE } },
    log: { warn() {} },
  } as unknown as Ledger["env"];
  const completion = await begin(prompt, { spender, price: PRICE, settings: CAPS, ai }, env);
  if (typeof completion === "string") return null;
  const events = completion.events();
  if (client !== "leaves before") {
    let done = false;
    for (let read = 0; !done && (client === "reads on" || read < count); read++)
      done = (await events.next()).done === true;
    if (!done && client === "leaves") {
      const next = events.next();
      await turn();
      provider.clientLeft = true;
      await completion.end();
      await next;
    }
    if (client === "stops reading" || client === "crashes") provider.clientStopped = count > 0;
  }
  if (client !== "crashes") await completion.end();
  await events.return(undefined);
  return provider.worked;
}

/** An amount that the provider has worked for, by the cap under which it counts. */
interface Account {
  worked: number;
  /** The highest cost of a request. */
  highest: number;
  scope: ReturnType<typeof spendRows>[number]["scope"];
}

/** Plays games of four people and two guests on two canvases, some at once, and compares the sums of the ledger with the work. */
async function playRound(games: Game[], month: number, db: Db, counts: Map<string, number>): Promise<void> {
  const ledger = new Ledger(db);
  ledger.now = Date.UTC(2050, month, 15);
  const canvases = [await ledger.spender(), await ledger.spender()];
  const people = Array.from({ length: 4 }, (_, index) => `${index}-${canvases[0]?.canvasId}`);
  const spenderOf = ({ person, canvas }: Game, startedAt: number): Spender => {
    const { canvasId } = canvases[canvas] ?? assert.fail();
    const member = people[person];
    return member === undefined
      ? {
          userId: `guest:${person}-${canvasId}`,
          guest: true,
          invitedBy: people[0] ?? null,
          canvasId,
          startedAt,
        }
      : { userId: member, guest: false, invitedBy: null, canvasId, startedAt };
  };
  const accounts = new Map<string, Account>();
  /** What the provider has worked for, by the time at which the request started: each has its own. */
  const work = new Map<number, { worked: number; game: Game }>();
  const playOne = async (each: Game) => {
    const spender = spenderOf(each, ledger.now++);
    const worked = await play(each, spender, ledger);
    const kind = worked === null ? "refused" : `${each.client}, ${each.script.ending.type}`;
    counts.set(kind, (counts.get(kind) ?? 0) + 1);
    if (worked === null) return;
    work.set(spender.startedAt, { worked: costOf(worked, PRICE), game: each });
    const highest = highestCost(highestPromptTokens(each.prompt), each.prompt.maxTokens, PRICE);
    for (const { scope, subject, period } of spendRows(spender)) {
      const key = `${scope} ${subject} ${period}`;
      const account = accounts.get(key) ?? { worked: 0, highest: 0, scope };
      account.worked += costOf(worked, PRICE);
      account.highest = Math.max(account.highest, highest);
      accounts.set(key, account);
    }
  };
  for (let next = 0; next < games.length; next += AT_ONCE)
    await Promise.all(games.slice(next, next + AT_ONCE).map(playOne));

  const later = new Ledger(db);
  later.now = ledger.now;
  await db.run`update leases set leased_until = 0`;
  await settleLost(later.env);
  const ids = canvases.map(({ canvasId }) => canvasId);
  const requests = await db.all<{ started_at: number; cost: number }>`
    select started_at, cost from ai_requests where canvas_id in (select key from json_each(${asKeys(ids)}))`;
  assert.equal(requests.length, work.size);
  for (const { started_at: startedAt, cost } of requests) {
    const { worked, game } = work.get(Number(startedAt)) ?? assert.fail();
    assert.ok(worked <= Number(cost), `worked for ${worked}, charged ${cost}: ${JSON.stringify(game)}`);
  }
  const rows = await db.all<{
    scope: string;
    subject: string;
    period: string;
    spent: number;
    reserved: number;
  }>`
    select scope, subject, period, spent, reserved from ai_spend`;
  const sums = new Map(rows.map((row) => [`${row.scope} ${row.subject} ${row.period}`, row]));
  for (const [key, { worked, highest, scope }] of accounts) {
    const { spent, reserved } = sums.get(key) ?? assert.fail(key);
    assert.equal(Number(reserved), 0, key);
    assert.ok(
      worked <= Number(spent),
      `${key}: the provider has worked for ${worked}, charged were ${spent}`,
    );
    assert.ok(worked < capOf(scope, CAPS) + highest, `${key}: the cap is exceeded by more than a request`);
  }
}

await onDatabases("AI games", (db) => {
  test(`${ROUNDS * GAMES} games: the provider never works for more than was charged, and for a cap and one request at most`, async (t) => {
    const seed = randomInt(2 ** 31 - 1);
    t.diagnostic(`seed ${seed}`);
    const counts = new Map<string, number>();
    const games = fc.sample(game, { seed, numRuns: ROUNDS * GAMES });
    for (let round = 0; round < ROUNDS; round++)
      await playRound(games.slice(round * GAMES, (round + 1) * GAMES), round, db, counts);
    t.diagnostic(JSON.stringify(Object.fromEntries(counts)));
    for (const kind of [
      "refused",
      "reads on, complete",
      "reads on, silence",
      "leaves, complete",
      "crashes, complete",
    ])
      assert.ok(counts.has(kind), kind);
  });
});
