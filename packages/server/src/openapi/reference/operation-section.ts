import { type Html, html } from "../../http/html.ts";
import { type JsonSchema, typeOf } from "../json-shape.ts";
import type { Content, OpenApi, OperationObject, Parameter, Reference, ResponseObject } from "../openapi.ts";
import { prose, sentence } from "./prose.ts";
import { linkedShape, shapeOf } from "./shape.ts";

/** An operation with its method and path. */
export interface Listed extends OperationObject {
  method: string;
  path: string;
}

/** Returns the object that a reference names, or the object itself. */
function resolve<Part extends object>(part: Part | Reference, all: Record<string, Part>): Part {
  if (!("$ref" in part)) return part;
  return all[part.$ref.split("/").at(-1) ?? ""] as Part;
}

/** Returns the codes of an error response. */
function codesOf({ content }: ResponseObject): string[] {
  const schema = content?.["application/json"]?.schema;
  const ofOne = (each: JsonSchema | undefined) => (each?.properties?.code?.enum ?? []) as string[];
  return [ofOne(schema), ...(schema?.anyOf ?? []).map(ofOne)].flat();
}

/** Returns the errors of an operation as pairs such as `409 KEY_LIMIT`. */
export const errorsOf = ({ responses }: OperationObject, document: OpenApi): string[] =>
  Object.entries(responses).flatMap(([status, response]) =>
    codesOf(resolve(response, document.components.responses)).map((code) => `${status} ${code}`),
  );

/** Renders a path with a line break opportunity before each slash. */
const broken = (path: string): Html[] =>
  path.split(/(?=\/)/).map((part, index) => (index === 0 ? html`${part}` : html`<wbr>${part}`));

/** Renders one section of HTML for each operation. Omits the errors in `common`, which are listed once for the whole part of the API. */
export class OperationSections {
  readonly #document: OpenApi;
  readonly #names: ReadonlySet<string>;

  constructor(document: OpenApi) {
    this.#document = document;
    this.#names = new Set(Object.keys(document.components.schemas));
  }

  render(operation: Listed, common: ReadonlySet<string>): Html {
    const { operationId, method, path, summary, description, requestBody, security } = operation;
    const credentials = security === undefined ? null : security.length === 0 ? "No sign-in." : null;
    return html`<section aria-labelledby="${operationId}">
<h4 id="${operationId}"><a href="#${operationId}">${sentence(summary)}</a></h4>
<p class="route"><b>${method}</b>${broken(path)}</p>
${description === undefined ? null : prose(description)}${credentials === null ? null : html`<p>${credentials}</p>`}
${this.#parameters(operation)}
${requestBody === undefined ? null : this.#contents(requestBody.required ? "Request body" : "Request body, optional", undefined, requestBody.content)}
${this.#responses(operation)}${this.#errors(operation, common)}</section>`;
  }

  #parameters({ parameters = [] }: Listed): Html | null {
    const all = parameters
      .map((each) => resolve<Parameter>(each, this.#document.components.parameters))
      .filter(({ name }) => name !== "slug");
    if (all.length === 0) return null;
    return html`<h5>Parameters</h5><dl>${all.map(
      ({ name, in: location, required, description = "", schema }) => html`<dt><code>${name}</code></dt>
<dd><p>${location === "path" ? "Path" : required ? "Query, required" : "Query"}${
        typeOf(schema) === "string" ? "" : `, ${typeOf(schema)}`
      }${schema.default === undefined ? "" : `, ${String(schema.default)} by default`}. ${sentence(description)}</p></dd>`,
    )}</dl>`;
  }

  #contents(heading: string, description: string | undefined, contents: Record<string, Content>): Html {
    const shown = Object.entries(contents).map(([type, { schema = {} }]) => {
      const { description: meaning, ...shape } = schema;
      return html`${type === "application/json" ? null : html`<p><code>${type}</code></p>`}${
        meaning === undefined ? null : html`<p>${sentence(meaning)}</p>`
      }${Object.keys(shape).length === 0 ? null : linkedShape(shapeOf(shape), this.#names)}`;
    });
    return html`<h5>${heading}</h5>${description === undefined ? null : html`<p>${sentence(description)}</p>`}${shown}`;
  }

  #responses({ responses }: Listed): Html[] {
    return Object.entries(responses).flatMap(([status, response]) =>
      "$ref" in response
        ? []
        : this.#contents(`Response ${status}`, response.description, response.content ?? {}),
    );
  }

  #errors(operation: Listed, common: ReadonlySet<string>): Html | null {
    const own = errorsOf(operation, this.#document).filter((each) => !common.has(each));
    if (own.length === 0) return null;
    const items = own.map((each) => {
      const [status = "", code = ""] = each.split(" ");
      return html`<li>${status} <a href="#error-${code}"><code>${code}</code></a></li>`;
    });
    return html`<h5>Errors</h5><ul>${items}</ul>`;
  }
}
