/** The exit codes of `easel`, which scripts can rely on. */
export const EXIT = {
  ok: 0,
  /** The command failed for any other reason, such as a refusal of the service or a bug of `easel`. */
  failed: 1,
  /** The command line is wrong, or a question cannot be asked because there is no terminal. */
  usage: 2,
  /** There is no token, or it has expired or was revoked. */
  signedOut: 3,
  /** The canvas does not exist, or the caller lacks the permission for the command. */
  denied: 4,
  /** Someone else changed the canvas meanwhile, or nobody can be asked about a canvas that only the folder names. */
  conflict: 5,
  /** The service cannot be reached. */
  unreachable: 6,
  interrupted: 130,
} as const;

export type Exit = keyof typeof EXIT;

/** The meanings of the exit codes, as the help and the documentation list them. */
export const EXIT_MEANINGS: Record<Exit, string> = {
  ok: "success",
  failed: "refused, a fault in the folder, or a bug",
  usage: "wrong usage, or a question without a terminal",
  signedOut: "not signed in: no token, or one that has ended",
  denied: "not found, or no permission",
  conflict: "conflict: changed meanwhile, or only the folder names it",
  unreachable: "the service cannot be reached",
  interrupted: "interrupted",
};

/** An expected failure. `easel` prints the message and the hint without a stack and exits with the code of `exit`. */
export class Failure extends Error {
  readonly exit: Exit;
  /** What the person can do about the failure. */
  readonly hint: string | undefined;

  constructor(message: string, { exit = "failed", hint }: { exit?: Exit; hint?: string | undefined } = {}) {
    super(message);
    this.exit = exit;
    this.hint = hint;
  }
}

/** Throws a `Failure`. */
export function fail(message: string, options?: { exit?: Exit; hint?: string | undefined }): never {
  throw new Failure(message, options);
}
