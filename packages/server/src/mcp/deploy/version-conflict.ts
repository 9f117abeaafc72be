import type { VersionList } from "@easel/protocol/management";
import { actNamed } from "../../management/acts.ts";
import { explaining } from "../explaining.ts";
import { type Acting, perform } from "../tool-call.ts";
import { quoted } from "../untrusted.ts";

const versionsAct = actNamed<VersionList>("canvas.versions");

/** Returns who published the current version of a canvas and when, as a sentence. The name is what that person calls themselves. */
async function currentOf(call: Acting, id: string): Promise<string> {
  const { versions } = await perform(call, versionsAct, { params: { id } });
  const current = versions.find((each) => each.current);
  if (current === undefined) return "No version is published.";
  const { id: version, createdByName, createdAt } = current;
  return `The current version is ${version}, deployed by ${quoted(createdByName)} at ${new Date(createdAt).toISOString()}.`;
}

/** Does what may be refused with 409 `VERSION_CONFLICT`. Adds to such a refusal which version there is now, and what to do. */
export const explainingConflict = <Result>(
  call: Acting,
  id: string,
  work: () => Promise<Result>,
): Promise<Result> =>
  explaining("VERSION_CONFLICT", work, async () => ({
    hint: `${await currentOf(call, id)} Read it with \`read_files\`, then try again on it.`,
  }));
