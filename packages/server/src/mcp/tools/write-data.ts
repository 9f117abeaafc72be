import type { Json } from "@easel/protocol/types";
import { z } from "zod";
import type { Canvas } from "../../canvases/access-lookup.ts";
import { NO_HEADERS, take } from "../../http/rate-limit.ts";
import { Refusal, refuse } from "../../http/refusal.ts";
import type { Input } from "../../operations/operation.ts";
import { writeAudit } from "../../organisation/audit.ts";
import { findMeant } from "../canvas-reference.ts";
import { readJson } from "../runtime-json.ts";
import { tool } from "../tool.ts";
import type { ToolCall } from "../tool-call.ts";
import { quoted } from "../untrusted.ts";

/** How many changes a call may have. */
const MAX_CHANGES = 100;

const Change = z.strictObject({
  op: z.enum(["set", "create", "update", "increment", "delete"]),
  key: z.string().optional(),
  own: z.boolean().optional(),
  collection: z.string().optional(),
  id: z.string().optional(),
  value: z.unknown().optional(),
  by: z.number().optional(),
  updatedAt: z.int().optional(),
});

type Given = z.output<typeof Change>;

/** An operation of the runtime API for a change. */
interface Write {
  operation: string;
  input: Partial<Input>;
  counted: "keys" | "ownKeys" | "records";
}

const NO_MESSAGE = { method: "", target: "", rawHeaders: [] };

const KEY_OPS: readonly string[] = ["set", "increment", "delete"];
const RECORD_OPS: readonly string[] = ["create", "update", "increment", "delete"];

const invalid = (message: string): never => refuse("INVALID_BODY", { message });

/** Returns the operation for a change. Throws 400 `INVALID_BODY` if a field is missing or has no meaning there. */
function writeFor({ op, key, own, collection, id, value, by, updatedAt }: Given): Write {
  if ((key === undefined) === (collection === undefined))
    return invalid("A change needs either `key` or `collection`.");
  if (!(key === undefined ? RECORD_OPS : KEY_OPS).includes(op))
    return invalid(`A ${key === undefined ? "record" : "key"} has no \`${op}\`.`);
  if (["set", "create", "update"].includes(op) === (value === undefined))
    return invalid(value === undefined ? `\`${op}\` needs a \`value\`.` : `\`${op}\` takes no \`value\`.`);
  if (by !== undefined && op !== "increment") return invalid(`\`${op}\` takes no \`by\`.`);
  const body = { value: op === "increment" ? { by: by ?? 1 } : (value as Json) };
  if (key !== undefined) {
    if (id !== undefined || updatedAt !== undefined) return invalid("`id` and `updatedAt` are of records.");
    return {
      operation: `kv.${own === true ? "user." : ""}${op}`,
      input: { params: { key }, body },
      counted: own === true ? "ownKeys" : "keys",
    };
  }
  if (own !== undefined) return invalid("`own` is for keys.");
  if ((id === undefined) !== (op === "create"))
    return invalid(
      id === undefined ? `\`${op}\` needs the \`id\` of the record.` : "A new record gets its `id`.",
    );
  if (updatedAt !== undefined && op !== "update" && op !== "delete")
    return invalid(`\`${op}\` takes no \`updatedAt\`.`);
  const headers = updatedAt === undefined ? {} : { "if-match": `"${updatedAt}"` };
  return {
    operation: `record.${op}`,
    input: {
      params: { name: collection ?? "", ...(id !== undefined && { id }) },
      body,
      message: { ...NO_MESSAGE, headers },
    },
    counted: "records",
  };
}

/** Names a change for a model, without its value. */
const nameOf = ({ op, key, collection, id }: Given): string =>
  `${op} ${[key, collection, id].flatMap((each) => (each === undefined ? [] : [quoted(each)])).join(" ")}`;

/** What a write returns that the program cannot know: no value that it has sent. */
function resultOf(answer: unknown): object {
  const { id, updatedAt, value } = Object(answer) as Record<string, unknown>;
  return {
    ...(id !== undefined && { id }),
    ...(updatedAt !== undefined && { updatedAt }),
    ...(typeof value === "number" && { value }),
  };
}

/** Records how many changes were made, without names and values. */
async function record({ caller, env }: ToolCall, canvas: Canvas, done: Write[]): Promise<void> {
  if (done.length === 0) return;
  const details = Object.fromEntries(
    [...Map.groupBy(done, ({ counted }) => counted)].map(([counted, of]) => [counted, of.length]),
  );
  const { user: actor, address, via } = caller;
  await writeAudit({ actor, act: "data.write", canvas: canvas.id, target: null, address, details, via }, env);
}

/**
 * Throws 429 `RATE_LIMITED` if the connected tools of a person have made as many changes within a minute as the runtime API takes requests. A
 * call of the tool counts as one request to the service, with any number of changes.
 */
async function limitChanges({ caller: { user }, env }: ToolCall): Promise<void> {
  const bucket = { rateClass: "foreign", owner: user.id, part: "changes" } as const;
  if (!(await take(bucket, env.config.canvasPerMinute, NO_HEADERS, env)))
    refuse("RATE_LIMITED", { hint: `Wait a minute: it takes ${env.config.canvasPerMinute} changes.` });
}

/** Throws the refusal of a change, with what was done before it and what was not. */
function refuseRest(error: unknown, given: Given[], done: number, { env }: ToolCall): never {
  const failed = `Change ${done + 1} of ${given.length} (${nameOf(given[done] as Given)})`;
  const rest = given.length - done - 1;
  const state = [
    done === 0
      ? "Nothing was changed before it."
      : `The ${done} before it ${done === 1 ? "is" : "are"} done.`,
    ...(rest === 0 ? [] : [`The ${rest} after it ${rest === 1 ? "is" : "are"} not.`]),
  ].join(" ");
  if (!(error instanceof Refusal)) {
    env.log.error({ err: error }, "a write of a tool failed");
    return refuse("UNAVAILABLE", {
      message: `${failed} failed, and it is not known whether it was done. ${state}`,
      hint: "Read the data before you try again.",
    });
  }
  const hint = typeof error.body.hint === "string" ? error.body.hint : undefined;
  const body = { ...error.body, message: `${failed} was refused: ${error.message} ${state}` };
  throw new Refusal(error.status, {
    ...body,
    hint: [hint, "Send only the changes that are not done."].filter((each) => each !== undefined).join(" "),
  });
}

export const writeData = tool({
  name: "write_data",
  title: "Write data",
  description:
    "Changes keys (`own`: those of your person alone) and records in order, until one is refused. `updatedAt`: only if the record is unchanged since.",
  scope: "full",
  hints: { destructiveHint: true },
  input: z.strictObject({ canvas: z.string(), changes: z.array(Change).min(1).max(MAX_CHANGES) }),
  output: z.object({ results: z.array(z.unknown()) }),
  async run(call, { canvas: reference, changes }) {
    const canvas = await findMeant(call, reference);
    // Each change is checked before the first one is made.
    const writes = changes.map((change, index) => {
      try {
        return writeFor(change);
      } catch (error) {
        if (!(error instanceof Refusal)) throw error;
        return refuse("INVALID_BODY", {
          message: `\`changes[${index}]\`: ${error.message} Nothing was changed.`,
          field: `changes[${index}]`,
        });
      }
    });
    const results: object[] = [];
    try {
      for (const { operation, input } of writes) {
        await limitChanges(call);
        results.push(resultOf(await readJson(call, canvas, operation, input)));
      }
    } catch (error) {
      await record(call, canvas, writes.slice(0, results.length));
      return refuseRest(error, changes, results.length, call);
    }
    await record(call, canvas, writes);
    const ids = results.flatMap((each, index) =>
      "id" in each && changes[index]?.op === "create" ? [each.id] : [],
    );
    const made = ids.length === 0 ? "" : ` New records: ${ids.join(", ")}.`;
    return { text: `All ${changes.length} changes are done.${made}`, content: { results } };
  },
});
