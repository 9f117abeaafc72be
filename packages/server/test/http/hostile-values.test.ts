import assert from "node:assert/strict";
import type { IncomingMessage } from "node:http";
import { Readable } from "node:stream";
import { after, describe, it, test } from "node:test";
import { stage } from "@easel/conformance/fixture";
import { send } from "@easel/conformance/http";
import { refused } from "@easel/conformance/refusal";
import { LIMITS } from "@easel/protocol/limits";
import type { ZodType } from "zod";
import { Turns } from "../../src/async/event-loop-turns.ts";
import { easelJson, faultsOf } from "../../src/canvases/publishing/easel-json.ts";
import type { Env } from "../../src/env.ts";
import { parseJson } from "../../src/http/body.ts";
import { Refusal } from "../../src/http/refusal.ts";
import { validate } from "../../src/http/validate.ts";
import { ACTS } from "../../src/management/acts.ts";
import type { ActCaller } from "../../src/management/callers.ts";
import { inputOf } from "../../src/operations/operation.ts";
import { RequestBody } from "../../src/operations/request-input.ts";
import { chatBody } from "../../src/primitives/ai/operations.ts";
import { CanvasUpdateFields, NewCanvasFields } from "../../src/primitives/authoring/form.ts";
import { JSON_TYPE } from "../support/client.ts";
import { startDev } from "../support/engines.ts";
import { longestTurn } from "../support/longest-turn.ts";

/** The maximum CPU time of one turn of the event loop, in milliseconds. */
const MAX_TURN_MS = 250;
const MAX_MESSAGE_LENGTH = 2_001;

/** A place in a schema that a body can fill: a list, an object, or a text. `wrap` builds a body from the JSON of the place. */
interface Place {
  name: string;
  kind: "list" | "object" | "text";
  wrap(json: string): string;
}

/** Returns all places in a schema. A place inside a list or a record is in its first element. */
function* placesOf(schema: ZodType, name = "", wrap: Place["wrap"] = (json) => json): Generator<Place> {
  const def = schema.def as unknown as { type: string; [part: string]: unknown };
  const inside = (part: unknown, at: string, around: Place["wrap"]) =>
    placesOf(part as ZodType, name === "" ? at : `${name}.${at}`, (json) => wrap(around(json)));
  switch (def.type) {
    case "object":
      yield { name, kind: "object", wrap };
      for (const [key, field] of Object.entries(def.shape as object))
        yield* inside(field, key, (json) => `{"${key}":${json}}`);
      break;
    case "record":
      yield { name, kind: "object", wrap };
      yield* inside(def.valueType, "a", (json) => `{"a":${json}}`);
      break;
    case "array":
      yield { name, kind: "list", wrap };
      yield* inside(def.element, "0", (json) => `[${json}]`);
      break;
    case "string":
      yield { name, kind: "text", wrap };
      break;
    case "pipe":
      for (const part of [def.in, def.out]) yield* placesOf(part as ZodType, name, wrap);
      break;
    case "union":
      for (const part of def.options as ZodType[]) yield* placesOf(part, name, wrap);
      break;
    case "custom":
      // The list of messages of a chat, which has no schema of its own.
      yield { name, kind: "list", wrap };
      break;
    default:
      if (def.innerType !== undefined) yield* placesOf(def.innerType as ZodType, name, wrap);
  }
}

/** Repeats `piece` until the text is almost `size` bytes long. */
const fill = (piece: (index: number) => string, size: number) => {
  const pieces = [];
  for (let [index, length] = [0, 0]; length < size; index++) {
    const next = piece(index);
    length += next.length + 1;
    pieces.push(next);
  }
  return pieces.join(",");
};

/** An object so large that a body has less than 5,000 of them. */
const MANY_FIELDS = `{${Array.from({ length: 60 }, (_, index) => `"${index}k":0`)}}`;

/** Values for each kind of place that are as large as the body may be. */
const FLOODS: Record<Place["kind"], (size: number) => string[]> = {
  list: (size) => ["0", "{}", MANY_FIELDS].map((element) => `[${fill(() => element, size)}]`),
  object: (size) => ["0", "{}"].map((value) => `{${fill((at) => `"${at.toString(36)}k":${value}`, size)}}`),
  text: (size) => [" ", "@", "a."].map((text) => JSON.stringify(text.repeat(size / 2))),
};

/** A reader of JSON bodies: its name, its schema, the maximum size of a body in bytes, and what reads it. */
type Reader = [name: string, schema: ZodType, limit: number, read: (body: Buffer) => unknown];

const acts = ACTS.flatMap(({ name, body }): Reader[] => {
  const limit = name === "canvas.stage" ? LIMITS.manifestBytes.value : LIMITS.managementBodyBytes.value;
  const read = (bytes: Buffer) => {
    const headers = { "content-type": "application/json", "content-length": String(bytes.length) };
    const request = Object.assign(Readable.from([bytes]), { headers });
    const source = new RequestBody(request as unknown as IncomingMessage);
    const sender = { ...inputOf({}), caller: { user: { id: "ada" } } as ActCaller };
    return body?.receive(source, sender, { turns: new Turns() } as Env, async (parse) => parse());
  };
  return body?.type === "application/json" ? [[name, body.schema, limit, read]] : [];
});

const validated = (schema: ZodType) => (bytes: Buffer) => validate(parseJson(bytes), schema);

const READERS: Reader[] = [
  ...acts,
  ["a chat", chatBody, LIMITS.aiBodyBytes.value, validated(chatBody)],
  ["a new canvas of a page", NewCanvasFields, LIMITS.managementBodyBytes.value, validated(NewCanvasFields)],
  [
    "a change of a canvas of a page",
    CanvasUpdateFields,
    LIMITS.managementBodyBytes.value,
    validated(CanvasUpdateFields),
  ],
];

test("the faults of an easel.json full of wrong values are the first ones", async () => {
  for (const { kind, wrap, name } of placesOf(easelJson)) {
    for (const flood of FLOODS[kind](64 * 1024)) {
      let faults: string[] = [];
      const turn = await longestTurn(async () => {
        faults = faultsOf(wrap(flood));
      });
      assert.ok(turn < MAX_TURN_MS, `${name}: ${turn} ms`);
      assert.ok(faults.length <= 20, `${name}: ${faults.length} faults`);
    }
  }
});

describe("bodies full of wrong values", () => {
  for (const [name, schema, limit, read] of READERS)
    it(name, async () => {
      const places = [...placesOf(schema)];
      assert.ok(places.length > 0);
      for (const { name: at, kind, wrap } of places) {
        for (const flood of FLOODS[kind](limit - 200)) {
          const body = Buffer.from(wrap(flood));
          const what = `${at} ${flood.slice(0, 20)}`;
          let message: string | undefined;
          const turn = await longestTurn(async () => {
            try {
              await read(body);
            } catch (error) {
              if (!(error instanceof Refusal)) throw error;
              assert.ok(error.status === 400 || error.status === 413, what);
              message = error.message;
            }
          });
          assert.ok(turn < MAX_TURN_MS, `${what}: ${turn} ms`);
          // An optional text of any length is no fault.
          if (kind !== "text") assert.ok(message !== undefined, what);
          assert.ok((message ?? "").length <= MAX_MESSAGE_LENGTH, `${what}: ${message?.length} characters`);
          assert.ok((message ?? "").split("` ").length <= 21, `${what}: ${message}`);
        }
      }
    });
});

const { target } = await startDev({ after });

describe("a staged deploy", () => {
  for (const element of ["0", '{"path":0}'])
    it(`with as many files ${element} as fit: 400, and no long turn`, async () => {
      const site = await stage(target);
      const body = `{"files":[${fill(() => element, LIMITS.manifestBytes.value - 100)}]}`;
      const headers = [...site.people.owner.headers, JSON_TYPE];
      const path = `/api/canvases/${site.id}/deploys`;
      const turn = await longestTurn(async () => {
        const answer = await send(target.base, { method: "POST", path, headers, body });
        refused(answer, 400, "INVALID_BODY");
        assert.equal(answer.json.message, "The body has too many values.");
      });
      assert.ok(turn < MAX_TURN_MS, `${turn} ms`);
    });
});
