import { adminCommand, YES } from "./admin-command.ts";
import { personOf } from "./found.ts";
import { countOf, printable } from "./terminal.ts";

export const unlink = adminCommand({
  args: ["PERSON"],
  options: YES,
  async run({ args, shell, terminal: { note }, confirm }) {
    const person = await personOf(args[0] ?? "", shell);
    const name = printable(person.email);
    await confirm(
      `Unlink ${name} from their accounts at the sign-in service, and end ${countOf(person.sessions, "session")}? The next person who signs in with this address is ${name}.`,
    );
    const { ended } = await shell.perform("user.unlink", { params: { id: person.id } });
    note(
      `${countOf(ended, "account")} unlinked. The next account that signs in with the address ${name} is linked to them.`,
    );
  },
});
