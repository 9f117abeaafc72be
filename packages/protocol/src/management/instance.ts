import type { PublicationStatus } from "../types.ts";

/** A setting of the service. */
export interface ConfigSetting {
  /** The variable of the environment, or the name of a quota that only administrators set. */
  name: string;
  /** The value in effect as a text. A secret, and what is secret in a URL, is masked. */
  value: string;
  /** Where the value comes from. `instance`: administrators have set it. */
  source: "environment" | "default" | "instance";
  /** Whether administrators can change it without a restart. */
  changeable: boolean;
  /** Its place in the body of `settings.update`, such as `ai.userDailyUsd`; null unless it is changeable. */
  key: string | null;
  secret: boolean;
  /** The default, in words or as a value. */
  fallback: string;
  /** A sentence about it, with names in backticks. */
  meaning: string;
}

/** The response of `GET /api/admin/instance/config`. */
export interface InstanceConfig {
  settings: ConfigSetting[];
}

/** A part that the service needs, which has just been asked. */
export interface HealthPart {
  name: "database" | "blobs" | "bus" | "ai" | "connections" | "signIn";
  ok: boolean;
  ms: number;
  /** What it is, or what is wrong. */
  detail: string;
}

/** A process of the service. */
export interface HealthNode {
  id: string;
  version: string;
  startedAt: number;
  host: string;
  /** How many milliseconds its clock is ahead of that of the database. */
  skewMs: number;
  /** Its open realtime connections, a few seconds ago. */
  connections: number;
  /** Whether it is the one that has answered. */
  current: boolean;
}

/** The response of `GET /api/admin/instance/health`. */
export interface InstanceHealth {
  version: string;
  /** When the process that has answered started. */
  startedAt: number;
  nodes: HealthNode[];
  parts: HealthPart[];
  /** The disk of the data directory, in bytes; null if it cannot be measured. */
  disk: { free: number; total: number } | null;
  /** The name of the last migration of the database. */
  migrations: string;
  /** When the instance was last swept; null if never. */
  lastSweepAt: number | null;
  /** When the command `backup` last made a backup; null if never, or if backups are made by other means. */
  lastBackupAt: number | null;
}

/** What the list of all canvases can show alone: a state, or those that expire within seven days. */
export type CanvasFilter = PublicationStatus | "sharesExpiring";

/** What needs the attention of administrators. */
export type AttentionKind =
  | "sharesExpiring"
  | "ownersDeactivated"
  | "quotasNear"
  | "connectionKeys"
  | "connectionsFailing";

/** The response of `GET /api/admin/instance/overview`. */
export interface InstanceOverview {
  /** The number of canvases in each state, deleted ones apart. */
  canvases: Record<PublicationStatus | "deleted", number>;
  people: {
    total: number;
    deactivated: number;
    /** Who has used the service within 30 days. */
    active30: number;
  };
  /** What bundles of canvases and uploaded files take. */
  bytes: { bundles: number; files: number };
  ai: { month: string; spent: number; reserved: number; limit: number | null };
  /** Kinds that do not occur are left out. `query` is that of the list that shows them. */
  attention: { kind: AttentionKind; count: number; query: string }[];
}

/** The response of `GET /api/admin/settings`: the settings that are in effect. The amounts in `ai` are in US dollars. */
export interface AdminSettings {
  publicLinks: boolean;
  /** The quotas by name, such as `kv.keys.shared`. */
  quotas: Record<string, number>;
  /** `instanceMonthlyUsd` is null if there is no such cap. */
  ai: {
    models: string[];
    userDailyUsd: number;
    canvasMonthlyUsd: number;
    guestUsd: number;
    instanceMonthlyUsd: number | null;
  };
}
