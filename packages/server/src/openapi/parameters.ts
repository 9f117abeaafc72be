import type { ZodObject } from "zod";
import type { JsonSchema } from "./json-shape.ts";
import type { Parameter, Reference } from "./openapi.ts";
import type { Schemas } from "./schemas.ts";

/** What the path parameters mean. The name of a parameter means the same in every path, except `id`. */
const MEANINGS: Record<string, string> = {
  slug: "The slug of the canvas, as in the address of its pages.",
  key: "The key, URL-encoded as one segment of the path. At most 512 bytes.",
  collection: "The name of the collection.",
  name: "The name of the collection.",
  user: "The id of a person.",
  id: "The id of the object.",
  profile: "The name of the Connection.",
  path: "The path below the origin of the external API. It may contain slashes.",
  version: "The id of a version.",
  deploy: "The id of the staged deploy.",
  sha256: "The SHA-256 hash of the file in lower-case hexadecimal digits.",
  invite: "The id of the invitation.",
  canvasId: "The id of a canvas.",
};

/** The path parameters to which operations in the document refer, by name. */
export const PATH_PARAMETERS: Record<string, Parameter> = Object.fromEntries(
  Object.entries(MEANINGS).map(([name, description]) => [
    name,
    { name, in: "path", required: true, description, schema: { type: "string" } },
  ]),
);

/** Returns references to the parameters in a path, such as `{slug}`. */
export const pathParameters = (path: string): Reference[] =>
  [...path.matchAll(/\{(\w+)\}/g)].map(([, name]) => ({ $ref: `#/components/parameters/${name}` }));

/** Describes the query parameters that a schema names. */
export function queryParameters(query: ZodObject | undefined, schemas: Schemas): Parameter[] {
  if (query === undefined) return [];
  const { properties = {}, required = [] } = schemas.request(query);
  return Object.entries(properties).map(([name, { description, ...schema }]) => ({
    name,
    in: "query",
    ...(required.includes(name) && { required: true }),
    ...(description !== undefined && { description }),
    schema: schema as JsonSchema,
  }));
}

/** Describes the request headers that an operation reads. */
export const headerParameters = (headers: Record<string, string> = {}): Parameter[] =>
  Object.entries(headers).map(([name, description]) => ({
    name,
    in: "header",
    description,
    schema: { type: "string" },
  }));
