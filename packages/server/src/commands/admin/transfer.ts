import { adminCommand, YES } from "./admin-command.ts";
import { canvasOf, personOf } from "./found.ts";
import { printable } from "./terminal.ts";

export const transfer = adminCommand({
  args: ["CANVAS"],
  options: {
    to: { type: "string", value: "PERSON", meaning: "The new owner, an active person.", required: true },
    ...YES,
  },
  async run({ args, shell, terminal: { note }, text, confirm }) {
    const canvas = await canvasOf(args[0] ?? "", shell);
    const to = await personOf(text("to") ?? "", shell);
    const [from, owner] = [printable(canvas.owner.email), printable(to.email)];
    if (canvas.owner.id === to.id) {
      note(`The canvas ${canvas.name} belongs to ${owner} already.`);
      return;
    }
    await confirm(`Give the canvas ${canvas.name} of ${from} to ${owner}? ${from} stays an editor.`);
    await shell.perform("canvas.reassign", { params: { id: canvas.id }, body: { email: to.email } });
    note(`The canvas ${canvas.name} belongs to ${owner} now, and ${from} is an editor.`);
  },
});
