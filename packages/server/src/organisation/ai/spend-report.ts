import type { SpendScope } from "@easel/protocol/ai";
import type { AiSums, AiUsage, DailySpend, InstanceAiUsage, MonthlySpend } from "@easel/protocol/management";
import { sqlText } from "../../drivers/db/db.ts";
import type { Env } from "../../env.ts";
import { DAY_MS, type DayRange, monthOf, utcDay } from "../days.ts";
import { readSettings } from "../instance-settings.ts";
import { toUsd } from "./prices.ts";
import { capOf } from "./spend-caps.ts";

/** The largest number of entries in a list. */
const MAX_ENTRIES = 1000;

/** The columns of a query that sums up AI requests: their number, their tokens of each kind and their cost. */
const SUMS = `count(*) as requests, sum(case when state = 'done' then 0 else 1 end) as incomplete,
  sum(input_tokens) as input_tokens, sum(output_tokens) as output_tokens,
  sum(cache_creation_tokens) as cache_creation_tokens, sum(cache_read_tokens) as cache_read_tokens, sum(cost) as cost`;

/** The part of a query that selects the finished AI requests of all canvases that started within a range of times. */
const OF_ALL = "from ai_requests where started_at >= ? and started_at < ? and state <> 'open'";
/** The part of a query that selects the finished AI requests of one canvas that started within a range of times. */
const OF_CANVAS = `${OF_ALL} and canvas_id = ?`;

/** Returns the statements that sum up requests by day and by model. */
const sumsOf = (requests: string) => ({
  days: sqlText(
    `select started_at / ${DAY_MS} as day, ${SUMS} ${requests} group by started_at / ${DAY_MS} order by 1`,
  ),
  models: sqlText(
    `select model, ${SUMS} ${requests} group by model order by cost desc, model limit ${MAX_ENTRIES}`,
  ),
});
const ALL = sumsOf(OF_ALL);
const ONE = sumsOf(OF_CANVAS);

const PEOPLE = sqlText(
  "select sums.*, coalesce(users.name, invites.name) as name, coalesce(users.email, invites.email) as email",
  `from (select user_id, ${SUMS} ${OF_ALL} group by user_id order by cost desc, user_id limit ${MAX_ENTRIES}) as sums`,
  "left join users on users.id = user_id left join invites on 'guest:' || invites.id = user_id",
  "order by cost desc, user_id",
);

/** The cost of the requests of the guests of each person who has invited any. */
const GUESTS = sqlText(
  "select guests.*, users.name, users.email",
  `from (select invited_by as user_id, sum(cost) as guest_cost ${OF_ALL} and invited_by is not null`,
  `group by invited_by order by guest_cost desc, user_id limit ${MAX_ENTRIES}) as guests`,
  "left join users on users.id = user_id order by guest_cost desc, user_id",
);

const CANVASES = sqlText(
  "select sums.*, slug, title",
  `from (select canvas_id, ${SUMS} ${OF_ALL} group by canvas_id order by cost desc, canvas_id limit ${MAX_ENTRIES}) as sums`,
  "join canvases on canvases.id = canvas_id order by cost desc, canvas_id",
);

const COLUMNS = [
  "requests",
  "incomplete",
  "input_tokens",
  "output_tokens",
  "cache_creation_tokens",
  "cache_read_tokens",
  "cost",
] as const;

/** A row of sums. PostgreSQL returns sums of bigint columns as texts. */
type SumsRow = Record<(typeof COLUMNS)[number], number | string>;

const viewOf = (row: SumsRow): AiSums => ({
  requests: Number(row.requests),
  incomplete: Number(row.incomplete),
  inputTokens: Number(row.input_tokens),
  outputTokens: Number(row.output_tokens),
  cacheCreationInputTokens: Number(row.cache_creation_tokens),
  cacheReadInputTokens: Number(row.cache_read_tokens),
  cost: toUsd(Number(row.cost)),
});

/** Adds up rows of sums. Costs are added as whole numbers before they become US dollars, so that no rounding errors add up. */
function totalOf(rows: SumsRow[]): AiSums {
  const total = Object.fromEntries(
    COLUMNS.map((column) => [column, rows.reduce((sum, row) => sum + Number(row[column]), 0)]),
  );
  return viewOf(total as SumsRow);
}

/**
 * Sums up the finished AI requests of a range of days (inclusive, UTC): in total, by day and by model. If `canvasId` is null, sums up the
 * requests of all canvases.
 */
export async function aiUsageOf(
  canvasId: string | null,
  { from, to }: DayRange,
  { db }: Env,
): Promise<AiUsage> {
  const times = timesOf({ from, to });
  const { days, models } = canvasId === null ? ALL : ONE;
  const values = canvasId === null ? times : [...times, canvasId];
  const [byDay, byModel] = await Promise.all([
    db.all<SumsRow & { day: number }>(days, ...values),
    db.all<SumsRow & { model: string }>(models, ...values),
  ]);
  return {
    from,
    to,
    total: totalOf(byDay),
    days: byDay.map((row) => ({ day: utcDay(Number(row.day) * DAY_MS), ...viewOf(row) })),
    models: byModel.map((row) => ({ model: row.model, ...viewOf(row) })),
  };
}

/** A person or guest in a query result. */
interface PersonRow {
  user_id: string;
  name: string | null;
  email: string | null;
}

const NO_SUMS: SumsRow = {
  requests: 0,
  incomplete: 0,
  input_tokens: 0,
  output_tokens: 0,
  cache_creation_tokens: 0,
  cache_read_tokens: 0,
  cost: 0,
};

/** Sums up the finished AI requests of all canvases in a range of days: in total, by day, by model, by person and by canvas. */
export async function instanceAiUsage(range: DayRange, env: Env): Promise<InstanceAiUsage> {
  const times = timesOf(range);
  const [usage, spend, people, guests, canvases] = await Promise.all([
    aiUsageOf(null, range, env),
    instanceSpend(env),
    env.db.all<SumsRow & PersonRow>(PEOPLE, ...times),
    env.db.all<PersonRow & { guest_cost: number | string }>(GUESTS, ...times),
    env.db.all<SumsRow & { canvas_id: string; slug: string; title: string }>(CANVASES, ...times),
  ]);
  const guestCosts = new Map(guests.map((row) => [row.user_id, Number(row.guest_cost)]));
  const known = new Set(people.map((row) => row.user_id));
  const inviters = guests.filter((row) => !known.has(row.user_id)).map((row) => ({ ...NO_SUMS, ...row }));
  return {
    ...usage,
    spend,
    people: [...people, ...inviters].slice(0, MAX_ENTRIES).map((row) => ({
      userId: row.user_id,
      name: row.name,
      email: row.email,
      ...viewOf(row),
      guestCost: toUsd(guestCosts.get(row.user_id) ?? 0),
    })),
    canvases: canvases.map((row) => ({
      canvasId: row.canvas_id,
      slug: row.slug,
      title: row.title,
      ...viewOf(row),
    })),
  };
}

/** Reads what the instance has spent and reserved in the current month, and its cap. */
export async function instanceSpend(env: Env): Promise<InstanceAiUsage["spend"]> {
  const [spend, settings] = await Promise.all([monthlyIn("instance_monthly", "", env), readSettings(env)]);
  return { ...spend, limit: settings["ai.instanceMonthlyUsd"] };
}

/** Reads what a canvas has spent and reserved in the current month, and its cap. */
export async function monthlySpendOf(canvasId: string, env: Env): Promise<MonthlySpend> {
  const [spend, settings] = await Promise.all([
    monthlyIn("canvas_monthly", canvasId, env),
    readSettings(env),
  ]);
  return { ...spend, limit: toUsd(capOf("canvas_monthly", settings)) };
}

/** Reads what a person and their guests have spent and reserved on the current day, and the cap of the person. */
export async function dailySpendOf(userId: string, env: Env): Promise<DailySpend> {
  const day = utcDay(env.clock());
  const [spend, settings] = await Promise.all([spendIn("user_daily", userId, day, env), readSettings(env)]);
  return { day, ...spend, limit: toUsd(capOf("user_daily", settings)) };
}

/** Reads what is spent and reserved under a cap of the current month. */
async function monthlyIn(scope: SpendScope, subject: string, env: Env) {
  const month = monthOf(utcDay(env.clock()));
  return { month, ...(await spendIn(scope, subject, month, env)) };
}

/** Reads what is spent and reserved under a cap in a period. */
async function spendIn(scope: SpendScope, subject: string, period: string, { db }: Env) {
  const row = await db.get<{ spent: number; reserved: number }>`
    select spent, reserved from ai_spend where scope = ${scope} and subject = ${subject} and period = ${period}`;
  return { spent: toUsd(Number(row?.spent ?? 0)), reserved: toUsd(Number(row?.reserved ?? 0)) };
}

/** Returns the start of the first day and the end of the last day, in epoch milliseconds. The end no longer belongs to the range. */
const timesOf = ({ from, to }: DayRange): [number, number] => [Date.parse(from), Date.parse(to) + DAY_MS];
