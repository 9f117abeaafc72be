import { isDeepStrictEqual } from "node:util";
import { z } from "zod";
import type { Act } from "../management/act.ts";
import { ACTS } from "../management/acts.ts";
import { CALLERS, tokenScopesOf } from "../management/callers.ts";
import { blockOf, type JsonSchema, nameOf, outlineOf, typeOf } from "../openapi/json-shape.ts";
import { code, table } from "./markdown.ts";

const inputOf = (schema: z.ZodType) =>
  z.toJSONSchema(schema, { io: "input", unrepresentable: "any" }) as JsonSchema;

const outputOf = (schema: z.ZodType) =>
  z.toJSONSchema(schema) as JsonSchema & { $defs?: Record<string, JsonSchema> };

function routeOf({ method, path, query }: Act): string {
  const names = query === undefined ? [] : Object.keys(query.schema.shape);
  return `${method} ${path}${names.length === 0 ? "" : `?${names.map((name) => `${name}=`).join("&")}`}`;
}

function bodyOf({ body }: Act): string {
  if (body === undefined) return "";
  if (body.type !== "application/json") return `${code(body.type)} →`;
  return `${code(outlineOf(inputOf(body.schema)))}${body.optional ? " or nothing" : ""} →`;
}

function responseOf({ response: { status, schema, type } }: Act): string {
  const name = schema === null ? type : nameOf(outputOf(schema).$ref ?? "");
  const shape = name === undefined ? "" : code(name);
  return [...(status === 200 ? [] : [String(status)]), shape].join(" ").trim();
}

/** Renders the token scopes that allow an act, except `full`. Fields of the body that a scope is limited to follow in parentheses. */
const tokensOf = (act: Act): string =>
  tokenScopesOf(act)
    .filter((scope) => scope !== "full")
    .map((scope) =>
      scope === "deploy" && Array.isArray(act.deploys) && act.deploys.length > 0
        ? `${code(scope)} (${act.deploys.map(code).join(", ")})`
        : code(scope),
    )
    .join(", ");

const actsTable = (acts: Act[]) =>
  table(
    ["Act", "Request", "Body → response", "Callers", "Scopes", "Meaning"],
    acts.map((act) => [
      code(act.name),
      code(routeOf(act)),
      `${bodyOf(act)} ${responseOf(act)}`.trim(),
      code(act.allow),
      tokensOf(act),
      [act.summary, act.details].filter(Boolean).join(" "),
    ]),
  );

const isAdmin = ({ allow }: Act) => allow === "administrator";

export const acts = () => actsTable(ACTS.filter((act) => !isAdmin(act)));

export const admin = () => actsTable(ACTS.filter(isAdmin));

export const callers = () =>
  table(
    ["Callers", "Who they are"],
    Object.entries(CALLERS).map(([name, { who }]) => [code(name), who]),
  );

/** Returns TypeScript interfaces for the response types of the management API and for the types that they contain. */
export function shapes(): string {
  const definitions = ACTS.flatMap(({ response }) =>
    Object.entries(response.schema ? (outputOf(response.schema).$defs ?? {}) : {}),
  );
  const named = new Map(definitions.filter(([name]) => !name.startsWith("__")));
  return [...named]
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(([name, schema]) => shapeOf(name, schema, named))
    .join("\n\n");
}

function shapeOf(name: string, schema: JsonSchema, named: Map<string, JsonSchema>): string {
  if (schema.properties === undefined) return `type ${name} = ${typeOf(schema)};`;
  const [base, { properties = {} }] = [...named].find(([, other]) => extendsBy(schema, other)) ?? ["", {}];
  const own = Object.entries(schema.properties).filter(([field]) => !(field in properties));
  return `interface ${name} ${base && `extends ${base} `}${blockOf({ ...schema, properties: Object.fromEntries(own) })}`;
}

/** Whether a schema has all fields of another schema, which has at least five, and further ones. */
function extendsBy({ properties = {} }: JsonSchema, { properties: others = {} }: JsonSchema): boolean {
  const fields = Object.entries(others);
  return (
    fields.length >= 5 &&
    fields.length < Object.keys(properties).length &&
    fields.every(([name, schema]) => isDeepStrictEqual(properties[name], schema))
  );
}

export const audited = () =>
  table(
    ["Act", "Request"],
    ACTS.filter((act) => act.audited)
      .toSorted((a, b) => (a.name < b.name ? -1 : 1))
      .map(({ name, method, path }) => [code(name), code(`${method} ${path}`)]),
  );
