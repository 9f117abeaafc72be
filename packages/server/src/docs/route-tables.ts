import { ERRORS } from "@easel/protocol/errors";
import { z } from "zod";
import type { ErrorCase } from "../http/refusal.ts";
import { ERROR_SCHEMAS } from "../openapi/error-responses.ts";
import { blockOf, type JsonSchema, typeOf } from "../openapi/json-shape.ts";
import { SERVICE_ROUTES } from "../openapi/other-addresses.ts";
import type { Description, Response } from "../operations/operation.ts";
import type { BodyDescription } from "../operations/operation-body.ts";
import { primitives } from "../primitives/index.ts";
import { code, table } from "./markdown.ts";

type Definitions = Record<string, JsonSchema>;

const schemaOf = (schema: z.ZodType, io: "input" | "output") =>
  z.toJSONSchema(z.object({ body: schema }), { io, unrepresentable: "any" }) as JsonSchema & {
    $defs?: Definitions;
  };

const shapeOf = (schema: z.ZodType, io: "input" | "output") =>
  typeOf(schemaOf(schema, io).properties?.body ?? {});

function requestOf(route: string, { query }: Description): string {
  const names = query === undefined ? [] : Object.keys(query.schema.shape);
  return route + (names.length === 0 ? "" : `?${names.map((name) => `${name}=`).join("&")}`);
}

function bodyOf(body: BodyDescription | undefined): string {
  if (body === undefined || body.none) return "";
  const shape = body.type.startsWith("multipart") ? "a form" : code(shapeOf(body.schema, "input"));
  return `${shape}${body.optional ? " or nothing" : ""} → `;
}

const responseOf = ([status, { type, schema }]: [string, Response]) =>
  [
    ...(status === "200" ? [] : [status]),
    ...(schema ? [code(shapeOf(schema, "output"))] : type ? ["bytes"] : []),
  ].join(" ");

const errorOf = (error: ErrorCase) => {
  const [name, status] = typeof error === "string" ? [error, ERRORS[error].status] : error;
  return `${status} ${code(name)}`;
};

const operationsBelow = (folder: string) =>
  primitives
    .flatMap(({ operations }) => operations)
    .filter(({ path }) => path.split("/")[1] === folder)
    .map((each): [string, Description] => [`${each.method} ${each.path}`, each]);

const operationsTable = (operations: [route: string, operation: Description][]) =>
  table(
    ["Request", "Body → response", "Meaning", "Errors"],
    operations.map(([route, operation]) => [
      code(requestOf(route, operation)),
      bodyOf(operation.body) + Object.entries(operation.responses).map(responseOf).join(", "),
      [operation.summary, operation.details].filter(Boolean).join(" "),
      (operation.errors ?? []).map(errorOf).join(", "),
    ]),
  );

/** Returns a function that builds a table of some routes of the runtime API: of those below `/kv` if `folder` is `kv`. */
const routesTable = (folder: string) => () => operationsTable(operationsBelow(folder));

/** Returns a table of the routes outside the runtime API and the management API. */
export const serviceRoutes = () =>
  operationsTable(Object.entries(SERVICE_ROUTES).map(([route, { operation }]) => [route, operation]));

export const meRoutes = routesTable("me");
export const peopleRoutes = routesTable("people");
export const kvRoutes = routesTable("kv");
export const submissionRoutes = routesTable("submissions");
export const collectionRoutes = routesTable("collections");
export const fileRoutes = routesTable("files");
export const aiRoutes = routesTable("ai");
export const pageErrorRoutes = routesTable("page-errors");
export const authoringRoutes = routesTable("authoring");

/** Returns TypeScript declarations of the types that the tables of routes name. */
export function routeShapes(): string {
  const definitions = primitives.flatMap(({ operations }) =>
    operations.flatMap(({ responses }) =>
      Object.values(responses).flatMap(({ schema }) =>
        schema === undefined ? [] : Object.entries(schemaOf(schema, "output").$defs ?? {}),
      ),
    ),
  );
  const named = new Map(definitions.filter(([name]) => !name.startsWith("__")));
  return [...named]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, schema]) =>
      schema.properties === undefined
        ? `type ${name} = ${typeOf(schema)};`
        : `interface ${name} ${blockOf(schema)}`,
    )
    .join("\n\n");
}

/** Returns a table of the fields that an error body has only for some codes, such as `limit` for `QUOTA_EXCEEDED`. */
export function errorFields(): string {
  const { code: _code, message, requestId, ...fields } = ERROR_SCHEMAS.Error?.properties ?? {};
  return table(
    ["Field", "Code and meaning"],
    Object.entries(fields).map(([name, { description = "" }]) => [code(name), String(description)]),
  );
}
