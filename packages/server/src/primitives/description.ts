import { LIMITS } from "@easel/protocol/limits";
import { type ZodType, z } from "zod";
import type { ErrorCase } from "../http/refusal.ts";

/** The request body of an operation. */
export interface RequestBody {
  type: string;
  schema: ZodType;
  /** The media types of the parts of a multipart form, by name. A part that is not listed is `text/plain`. */
  parts?: Record<string, string>;
  optional?: true;
}

/** A successful response of an operation. */
export interface Response {
  description: string;
  /** The media type of the body; undefined if there is no body. */
  type?: string;
  /** The schema of the body; undefined if it is not JSON. */
  schema?: ZodType;
  /** Maps the name of each response header to a sentence about its meaning. */
  headers?: Record<string, string>;
}

/** Describes one method of a route for the OpenAPI document. Handlers do not use it. */
export interface Operation {
  /** The unique name, such as `kv.get`. */
  id: string;
  summary: string;
  /** Sentences that follow the summary, in Markdown. */
  details?: string;
  query?: z.ZodObject;
  body?: RequestBody;
  /** The successful responses by status, such as 200 or 2XX. */
  responses: Record<string, Response>;
  /** The errors, in addition to those of every request to the runtime API. */
  errors?: readonly ErrorCase[];
}

/** Describes the routes of a primitive for the OpenAPI document. */
export interface Description {
  /** The title of the group of operations. */
  title: string;
  /** Sentences about the group, in Markdown. */
  summary: string;
  /** The operations by method and path, such as `GET /kv/:key`. */
  operations: Record<string, Operation>;
}

/** Returns the path of a route with braces around the names of its parameters: `/kv/{key}` for `/kv/:key`, and `{path}` for `*`. */
export const pathOf = (route: string): string => route.replace(/:(\w+)/g, "{$1}").replace(/\*$/, "{path}");

/** Describes a JSON body of a request. */
export const jsonBody = (schema: ZodType): RequestBody => ({ type: "application/json", schema });

/** Describes a JSON body that the client may leave out. */
export const optionalBody = (schema: ZodType): RequestBody => ({ ...jsonBody(schema), optional: true });

/** Describes the one successful response of an operation, which is JSON. */
export const json = (description: string, schema: ZodType, status = 200): Operation["responses"] => ({
  [status]: { description, type: "application/json", schema },
});

/** The schema of the response to a write that returns nothing else. */
const done = z.strictObject({ ok: z.literal(true) }).meta({ id: "Done" });

/** Describes the response `{ "ok": true }`. */
export const ok = json("The write is durable.", done);

/** The bytes of a file, as a part of a form. */
export const bytes = z.string().meta({ contentMediaType: "application/octet-stream" });

/** The cursor of the next page. */
export const nextCursor = z.string().nullable().meta({ description: "Null on the last page." });

/** The query parameters of a list that is read in pages. */
export const paging = {
  cursor: z
    .string()
    .optional()
    .meta({ description: "`nextCursor` of the previous page; absent for the first page." }),
  limit: z
    .int()
    .min(1)
    .max(LIMITS.pageMax.value)
    .default(LIMITS.pageDefault.value)
    .meta({ description: "The maximum number of entries of the page." }),
};
