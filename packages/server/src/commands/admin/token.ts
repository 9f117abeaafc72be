import { TOKEN_SCOPES } from "@easel/protocol/management";
import { SetupError } from "../../config/setting-types.ts";
import { userById } from "../../identity/users.ts";
import { DAY_MS } from "../../organisation/days.ts";
import { adminCommand } from "./admin-command.ts";
import { canvasOf, personOf } from "./found.ts";
import { minute, printable } from "./terminal.ts";

const SCOPES = TOKEN_SCOPES.join(", ");

export const token = adminCommand({
  args: ["PERSON"],
  options: {
    name: {
      type: "string",
      value: "NAME",
      meaning: "What it is for, which the person sees in their list of access tokens.",
      required: true,
    },
    expires: { type: "string", value: "DAYS", meaning: "For how many days it is valid.", required: true },
    scope: { type: "string", value: "SCOPE", meaning: `What it may do: ${SCOPES}. By default full.` },
    canvas: { type: "string", value: "CANVAS", meaning: "The only canvas for which it is valid." },
  },
  async run({ args, shell, terminal: { print, note }, text }) {
    const days = text("expires") ?? "";
    if (!/^[1-9]\d{0,3}$/.test(days))
      throw new SetupError("--expires needs a number of days from 1 to 9999.");
    const scope = text("scope") ?? "full";
    if (!TOKEN_SCOPES.some((each) => each === scope)) throw new SetupError(`--scope is one of ${SCOPES}.`);
    const found = await personOf(args[0] ?? "", shell);
    const name = printable(found.email);
    const person = await userById(found.id, shell.env);
    if (person === null)
      throw new SetupError(
        `${name} is deactivated, and a token of theirs would not be accepted. Nothing has been made.`,
      );
    const only = text("canvas");
    const canvas = only === undefined ? null : await canvasOf(only, shell);
    const expiresAt = shell.env.clock() + Number(days) * DAY_MS;
    const fields = { name: text("name"), scope, expiresAt, canvasId: canvas?.id ?? null };
    const notFound = `${name} has no role on the canvas ${canvas?.name}. Nothing has been made.`;
    const made = await shell.perform("token.create", { body: fields, notFound }, person);
    print(made.token);
    note(
      `An access token of ${name} with the scope ${scope}${canvas === null ? "" : ` for the canvas ${canvas.name}`}, valid until ${minute(expiresAt)}. It is ` +
        "shown this once. Who has it acts as this person.",
    );
  },
});
