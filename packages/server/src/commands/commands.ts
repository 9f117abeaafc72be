import type { Command } from "./command.ts";

/** A command: what it does, in one line, and its module, which is loaded when the command is run. */
export interface CommandRow {
  summary: string;
  load(): Promise<Command>;
}

/** Several commands that have a first word in common. */
export interface CommandGroup {
  summary: string;
  commands: CommandTable;
}

/** Commands and groups by their names, in the order of the help. */
export type CommandTable = Readonly<Record<string, CommandRow | CommandGroup>>;

/** The commands of `easel-server`. The first one is the default. */
export const COMMANDS: CommandTable = {
  start: {
    summary: "Starts the service. It is the default.",
    load: async () => (await import("./start.ts")).start,
  },
  backup: {
    summary: "Makes a backup of database and blobs in a folder, while the service runs or is stopped.",
    load: async () => (await import("./backup.ts")).backup,
  },
  verify: {
    summary: "Verifies a backup wholly: the newest in a folder, or the one with a name.",
    load: async () => (await import("./verify.ts")).verify,
  },
  restore: {
    summary:
      "Replaces the data by a backup, the newest in a folder or the one with a name. The service must be stopped.",
    load: async () => (await import("./restore.ts")).restore,
  },
  sweep: {
    summary: "Says whether unused blobs are removed, which a restore suspends for seven days.",
    load: async () => (await import("./sweep-now.ts")).sweep,
  },
  join: {
    summary: "Declares that the configured database and blob store belong together.",
    load: async () => (await import("./join.ts")).join,
  },
  copy: {
    summary:
      "Copies the instance to another database, another place for blobs, or both, while it is stopped.",
    load: async () => (await import("./copy.ts")).copy,
  },
  check: {
    summary:
      "Checks the settings, what they name, and the way to a running service. Ends with 1 if something fails.",
    load: async () => (await import("./check.ts")).check,
  },
  admin: {
    summary:
      "Administers people, canvases, sessions and tokens on the database, also while the service runs.",
    commands: {
      users: {
        summary: "Lists the people, newest first.",
        load: async () => (await import("./admin/list-people.ts")).users,
      },
      deactivate: {
        summary: "Ends all that lets a person in, and keeps them from signing in.",
        load: async () => (await import("./admin/deactivate.ts")).deactivate,
      },
      reactivate: {
        summary: "Lets a deactivated person sign in again.",
        load: async () => (await import("./admin/deactivate.ts")).reactivate,
      },
      transfer: {
        summary: "Makes another person the owner of a canvas.",
        load: async () => (await import("./admin/transfer.ts")).transfer,
      },
      sessions: {
        summary: "Lists or ends the sessions of a person, or of everyone.",
        load: async () => (await import("./admin/sessions.ts")).sessions,
      },
      unlink: {
        summary:
          "Lets another account at the sign-in service be a person, after accounts were made anew there.",
        load: async () => (await import("./admin/unlink.ts")).unlink,
      },
      token: {
        summary: "Makes an access token of a person, and prints it.",
        load: async () => (await import("./admin/token.ts")).token,
      },
    },
  },
  health: {
    summary: "Asks the service on this machine whether it is alive: for the health check of a container.",
    load: async () => (await import("./ask-health.ts")).health,
  },
  migrate: {
    summary: "Applies the migrations of this release to the database, which a start does, too.",
    load: async () => (await import("./migrate-database.ts")).migrate,
  },
  version: {
    summary: "Prints the version of the service and of Node.",
    load: async () => (await import("./version.ts")).version,
  },
};

/** The command with which a primary process starts its workers. It is in no help. */
export const WORKER: CommandRow = {
  summary: "Serves as one of several workers.",
  load: async () => (await import("./start.ts")).work,
};
