import { Html, html } from "../../http/html.ts";
import { type JsonSchema, typeOf } from "../json-shape.ts";

/** The maximum length of a type on one line, in characters. */
const LINE = 64;

const isShort = (schema: JsonSchema) =>
  typeOf(schema).length <= LINE && !JSON.stringify(schema).includes('"description"');

/** Returns a type in TypeScript notation. An object that is long, or that has a field with a description, gets one line per field. */
export function shapeOf(schema: JsonSchema, indent = ""): string {
  const { items, properties, additionalProperties, anyOf, required = [] } = schema;
  if (schema.$ref !== undefined || schema.enum !== undefined || isShort(schema)) return typeOf(schema);
  const inner = `${indent}  `;
  if (properties !== undefined) {
    const fields = Object.entries(properties).flatMap(([name, { description, ...field }]) => [
      ...(description === undefined ? [] : [`${inner}// ${description}`]),
      `${inner}${name}${required.includes(name) ? "" : "?"}: ${shapeOf(field, inner)};`,
    ]);
    return ["{", ...fields, `${indent}}`].join("\n");
  }
  if (items !== undefined) return `${shapeOf(items, indent)}[]`;
  if (additionalProperties) return `Record<string, ${shapeOf(additionalProperties, indent)}>`;
  return anyOf?.map((each) => shapeOf(each, indent)).join(" | ") ?? typeOf(schema);
}

const NAME = /\b([A-Z]\w+)\b/;

/** Renders a type as HTML. Each name of a type in `names` becomes a link, except in comments. */
export function linkedShape(shape: string, names: ReadonlySet<string>): Html {
  const lines = shape.split("\n").map((line) => {
    if (line.trimStart().startsWith("//")) return html`<span class="comment">${line}</span>`;
    const parts = line
      .split(NAME)
      .map((part) => (names.has(part) ? html`<a href="#type-${part}">${part}</a>` : html`${part}`));
    return html`${parts}`;
  });
  return html`<pre>${new Html(lines.map(({ text }) => text).join("\n"))}</pre>`;
}
