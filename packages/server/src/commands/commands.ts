import type { Command } from "./command.ts";

/** The commands by their names, in the order of the help. A command is loaded when it is run. The first one is the default. */
export const COMMANDS: Readonly<Record<string, () => Promise<Command>>> = {
  start: async () => (await import("./start.ts")).start,
  backup: async () => (await import("./backup.ts")).backup,
  verify: async () => (await import("./verify.ts")).verify,
  restore: async () => (await import("./restore.ts")).restore,
  sweep: async () => (await import("./sweep-now.ts")).sweep,
  join: async () => (await import("./join.ts")).join,
  copy: async () => (await import("./copy.ts")).copy,
  check: async () => (await import("./check.ts")).check,
  health: async () => (await import("./ask-health.ts")).health,
  migrate: async () => (await import("./migrate-database.ts")).migrate,
  version: async () => (await import("./version.ts")).version,
};

/** The command with which a primary process starts its workers. It is in no help. */
export const loadWorker = async (): Promise<Command> => (await import("./start.ts")).work;
