import assert from "node:assert/strict";
import type { SpendScope } from "@easel/protocol/ai";
import { newId } from "../../src/crypto/ids.ts";
import type { Db } from "../../src/drivers/db/db.ts";
import type { Env } from "../../src/env.ts";
import { newMetrics } from "../../src/metrics/metrics.ts";
import { type Reserved, reserve } from "../../src/organisation/ai/reservations.ts";
import type { Spender } from "../../src/organisation/ai/spend-caps.ts";
import type { InstanceSettings } from "../../src/organisation/instance-settings.ts";

/** Caps of one US dollar each, in the settings of the instance. */
export const SETTINGS: InstanceSettings = {
  publicLinks: true,
  "ai.models": ["m"],
  "ai.userDailyUsd": 1,
  "ai.canvasMonthlyUsd": 1,
  "ai.guestUsd": 1,
  "ai.instanceMonthlyUsd": null,
};

/** One US dollar in billionths. */
export const DOLLAR = 1_000_000_000;

/** A row of the sums under the caps, with numbers. */
export interface Sum {
  scope: SpendScope;
  period: string;
  spent: number;
  reserved: number;
}

/** The ledger of AI requests on a database, as one node uses it at a time that the test sets. */
export class Ledger {
  readonly env: Env;
  /** Epoch milliseconds. */
  now = Date.UTC(2031, 0, 31, 12);

  constructor(db: Db) {
    const lease = { id: newId(), held: new Set<string>() };
    this.env = { db, lease, clock: () => this.now, metrics: newMetrics() } as unknown as Env;
  }

  /** Lets the lease of the node expire. */
  async expire(): Promise<void> {
    await this.env.db.run`update leases set leased_until = 0 where id = ${this.env.lease.id}`;
  }

  /** Creates a canvas. Returns a caller on it. */
  async spender(fields: Partial<Spender> = {}): Promise<Spender> {
    const canvasId = newId();
    await this.env.db.run`
      insert into users (id, email, name, created_at) values ('owner', 'owner@example.com', 'Owner', 1)
      on conflict (id) do nothing`;
    await this.env.db.run`
      insert into canvases (id, slug, title, owner_id, created_by, created_at, updated_at)
      values (${canvasId}, ${canvasId}, 'AI', 'owner', 'owner', 1, 1)`;
    return { userId: newId(), guest: false, invitedBy: null, canvasId, startedAt: this.now, ...fields };
  }

  reserve(spender: Spender, amount: number, settings: Partial<InstanceSettings> = {}) {
    return reserve(spender, { model: "m", amount }, { ...SETTINGS, ...settings }, this.env);
  }

  /** Reserves an amount that no cap refuses. */
  async reserved(spender: Spender, amount = 100): Promise<Reserved> {
    const request = await this.reserve(spender, amount);
    assert.ok(typeof request === "object", `refused: ${request}`);
    return request;
  }

  /** Returns the sums of a caller, of who has invited them, and of their canvas, in the order of scopes and periods. */
  async sums({ userId, invitedBy, canvasId }: Spender): Promise<Sum[]> {
    const rows = await this.env.db.all<Sum>`
      select scope, period, spent, reserved from ai_spend
      where subject = ${userId} or subject = ${invitedBy ?? userId} or subject = ${canvasId}`;
    return rows
      .map((row) => ({ ...row, spent: Number(row.spent), reserved: Number(row.reserved) }))
      .sort((one, other) => (one.scope + one.period < other.scope + other.period ? 1 : -1));
  }

  /** Returns the rows of a canvas's requests, the first one first. */
  async requests({ canvasId }: Pick<Spender, "canvasId">) {
    const rows = await this.env.db.all<Record<string, unknown>>`
      select state, cost, input_tokens, output_tokens, cache_creation_tokens, cache_read_tokens, ended_at,
        lease
      from ai_requests where canvas_id = ${canvasId} order by started_at, id`;
    return rows.map(({ state, ...numbers }) => ({
      state: String(state),
      cost: Number(numbers.cost),
      tokens: [
        numbers.input_tokens,
        numbers.output_tokens,
        numbers.cache_creation_tokens,
        numbers.cache_read_tokens,
      ].map(Number),
      endedAt: numbers.ended_at === null ? null : Number(numbers.ended_at),
      lease: numbers.lease,
    }));
  }
}
