import type { AdminUserDetails, HandoverResult } from "@easel/protocol/management";
import { SetupError } from "../../config/setting-types.ts";
import { type AdminCall, adminCommand, YES } from "./admin-command.ts";
import { credentialsIn, personOf } from "./found.ts";
import { countOf, minute, printable } from "./terminal.ts";

export const deactivate = adminCommand({
  args: ["PERSON"],
  options: {
    "transfer-to": {
      type: "string",
      value: "PERSON",
      meaning: "Hands over canvases and teams first, and deactivates only if nothing is left.",
    },
    ...YES,
  },
  async run(call) {
    const { args, shell, terminal, text, confirm } = call;
    const person = await personOf(args[0] ?? "", shell);
    const to = text("transfer-to");
    if (to !== undefined) return handOver(person, to, call);
    const name = printable(person.email);
    if (person.deactivatedAt !== null) {
      terminal.note(`${name} is deactivated already, since ${minute(person.deactivatedAt)}.`);
      return 0;
    }
    await confirm(`Deactivate ${name}${andEnd(person)}?`);
    await shell.perform("user.update", { params: { id: person.id }, body: { deactivated: true } });
    terminal.note(deactivated(person));
    if (person.canvases > 0)
      terminal.note(
        `${countOf(person.canvases, "canvas", "canvases")} of theirs stay as they are. To give them to somebody: ` +
          `easel-server admin deactivate ${name} --transfer-to PERSON`,
      );
    return 0;
  },
});

const andEnd = (person: AdminUserDetails): string => {
  const ended = credentialsIn(person);
  return ended === null ? "" : `, and end ${ended}`;
};

const deactivated = (person: AdminUserDetails): string => {
  const ended = credentialsIn(person);
  return `${printable(person.email)} is deactivated${ended === null ? "" : `: ${ended} ended`}, and nobody can sign in as them.`;
};

/** Hands over what a person owns, and deactivates them. Returns 1 if something could not be moved. */
async function handOver(
  person: AdminUserDetails,
  given: string,
  { shell, terminal: { note }, confirm }: AdminCall,
): Promise<number> {
  const to = await personOf(given, shell);
  const [from, owner] = [printable(person.email), printable(to.email)];
  const owned = countOf(person.canvases, "canvas", "canvases");
  await confirm(
    `Give ${owned} and the teams of ${from} to ${owner}, and deactivate ${from}${andEnd(person)}?`,
  );
  const body = { to: to.email, teams: true, deactivate: true };
  let moved = 0;
  let result: HandoverResult;
  // One act moves at most 1,000 canvases.
  do {
    result = await shell.perform("user.handover", { params: { id: person.id }, body });
    moved += result.moved;
    if (moved > 0) note(`${owner} has got ${countOf(moved, "canvas or team", "canvases and teams")}.`);
  } while (!result.deactivated && result.left.length === 0 && result.moved > 0);
  if (result.deactivated) {
    note(deactivated(person));
    return 0;
  }
  for (const { id, code, quota } of result.left)
    note(`not moved: ${id} (${quota === null ? code : `the quota ${quota} of ${owner} has no room`})`);
  throw new SetupError(
    `${from} is NOT deactivated, because they still own ${countOf(result.remaining, "canvas", "canvases")}, or a team. Choose somebody else for the ` +
      `rest, or deactivate them without --transfer-to.`,
  );
}

export const reactivate = adminCommand({
  args: ["PERSON"],
  async run({ args, shell, terminal }) {
    const person = await personOf(args[0] ?? "", shell);
    const name = printable(person.email);
    if (person.deactivatedAt === null) {
      terminal.note(`${name} is active already.`);
      return;
    }
    await shell.perform("user.update", { params: { id: person.id }, body: { deactivated: false } });
    terminal.note(
      `${name} may sign in again. Sessions, access tokens and connected tools of before stay ended.`,
    );
  },
});
