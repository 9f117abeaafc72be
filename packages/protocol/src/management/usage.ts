import type { ConnectionCalls } from "./connections.ts";

/** The name of a quota that administrators can also set for a single person. */
export type PersonQuotaName =
  | "canvases.person"
  | "bundles.bytes.person"
  | "files.bytes.person"
  | "versions.canvas";

/** How much of one quota is used. For a quota per person or per file, `used` is the highest value of any one person or file. */
export interface QuotaUsage {
  used: number;
  limit: number;
}

/** Figures about a group of AI requests, such as those of one day: their number, their tokens and their cost. */
export interface AiSums {
  requests: number;
  /** The number of these requests that did not end with a complete response: the provider failed, the client aborted, or the service ended. */
  incomplete: number;
  /** Tokens of input that were neither read from the provider's cache nor written to it. */
  inputTokens: number;
  outputTokens: number;
  cacheCreationInputTokens: number;
  cacheReadInputTokens: number;
  /** US dollars. */
  cost: number;
}

/** The AI requests that started on the days `from` to `to`, inclusive. Days are `YYYY-MM-DD` in UTC; those without a request are absent. */
export interface AiUsage {
  from: string;
  to: string;
  total: AiSums;
  /** In the order of the days. */
  days: (AiSums & { day: string })[];
  /** The most expensive first. */
  models: (AiSums & { model: string })[];
}

/**
 * The response of `GET /api/admin/ai/usage`. `models`, `people` and `canvases` have at most 1,000 entries each, the most expensive first.
 */
export interface InstanceAiUsage extends AiUsage {
  /** `limit` is null if the instance has no cap. */
  spend: Omit<MonthlySpend, "limit"> & { limit: number | null };
  /**
   * `name` and `email` are null for a person or guest who has been removed. `guestCost` is the cost in US dollars of the requests of guests
   * whom the person has invited, which counts under the daily cap of the person as well. `cost` and the order do not include it.
   */
  people: (AiSums & { userId: string; name: string | null; email: string | null; guestCost: number })[];
  canvases: (AiSums & { canvasId: string; slug: string; title: string })[];
}

/**
 * The spend of a canvas or of the instance on AI in the current month (UTC), in US dollars. `reserved` is the highest cost that the running requests can have
 * together.
 */
export interface MonthlySpend {
  month: string;
  spent: number;
  reserved: number;
  limit: number;
}

/** The spend of a person on AI on the current day (UTC), in US dollars, with that of guests whom they have invited. */
export interface DailySpend {
  day: string;
  spent: number;
  reserved: number;
  limit: number;
}

/**
 * The response of `GET /api/me/usage`. For the quota `versions.canvas`, `used` is the highest number of versions of one canvas of the person.
 */
export interface PersonUsage {
  quotas: Record<PersonQuotaName, QuotaUsage>;
  ai: DailySpend;
}

/** The open realtime connections to a canvas, and who has them. */
export interface RealtimePlaces {
  connections: number;
  /** How many connections the canvas may have. */
  limit: number;
  /** How many of them one person may have; null if this is not limited. */
  limitPerPerson: number | null;
  /** Those with the most connections first. */
  people: { id: string; name: string; connections: number }[];
}

/** How often the pages of a canvas were opened on a day (UTC), by how many different people. */
export interface DayViews {
  day: string;
  views: number;
  people: number;
}

/** How often the pages of a canvas were opened, and by how many people. Views of people who had not signed in are in `views` and `total` alone. */
export interface Views {
  /** The number of views in the range of days. */
  total: number;
  /** The number of different people in the last 30 days, whatever the range. */
  people: number;
  /** The days of the range on which a page was opened, the first one first. */
  days: DayViews[];
}

/** The response of `GET /api/canvases/{id}/usage`. */
export interface Usage {
  /** The views of the canvas's pages on the days that the query names. Null if the instance counts no views. */
  views: Views | null;
  /** The use of each quota, by the name of the quota, such as `kv.keys.shared`. */
  counts: Record<string, QuotaUsage>;
  /** The size in bytes of the current version, of all versions together, and of the stored data. */
  bytes: { version: number; versions: number; data: number };
  spend: MonthlySpend;
  /** The AI requests of the canvas on the days that the query names, by default those of the current month. */
  ai: AiUsage;
  /** The calls through each Connection on the same days as in `ai`. Counts older than 90 days have been deleted. */
  connections: (ConnectionCalls & { profile: string })[];
  /** The realtime connections that are open at the time of the request. */
  realtime: RealtimePlaces;
}
