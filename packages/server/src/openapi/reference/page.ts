import { ERRORS } from "@easel/protocol/errors";
import { type Html, html } from "../../http/html.ts";
import type { OpenApi, Tag } from "../openapi.ts";
import { errorsOf, type Listed, OperationSections } from "./operation-section.ts";
import { prose, sentence } from "./prose.ts";
import { linkedShape, shapeOf } from "./shape.ts";

/** The parts of the API, by the beginning of their paths. */
const PARTS = [
  { title: "Runtime API", id: "runtime", prefix: "/v1/" },
  { title: "Management API", id: "management", prefix: "/api/" },
  { title: "Further addresses", id: "further", prefix: "/" },
];

const partOf = (path: string) => PARTS.find(({ prefix }) => path.startsWith(prefix));

const idOf = ({ name }: Tag) => `group-${name.toLowerCase().replaceAll(" ", "-")}`;

/** A part of the API with its groups of operations. `common` are the errors that all its operations can have. */
interface Part {
  title: string;
  id: string;
  groups: { tag: Tag; operations: Listed[] }[];
  common: Set<string>;
}

function partsOf(document: OpenApi): Part[] {
  const operations = Object.entries(document.paths).flatMap(([path, item]) =>
    Object.entries(item).map(([method, each]): Listed => ({ ...each, path, method: method.toUpperCase() })),
  );
  return PARTS.map((part) => {
    const own = operations.filter(({ path }) => partOf(path) === part);
    const errors = own.map((each) => new Set(errorsOf(each, document)));
    const groups = document.tags.map((tag) => ({
      tag,
      operations: own.filter(({ tags }) => tags.includes(tag.name)),
    }));
    return {
      ...part,
      groups: groups.filter((group) => group.operations.length > 0),
      common: errors.reduce((common, each) => common.intersection(each)),
    };
  });
}

const navigation = (
  parts: Part[],
): Html => html`<nav aria-label="Contents"><details><summary>Contents</summary>
${parts.map(
  ({ title, groups }) =>
    html`<h2>${title}</h2><ul>${groups.map(
      ({ tag }) => html`<li><a href="#${idOf(tag)}">${tag.name}</a></li>`,
    )}</ul>`,
)}<h2>Tables</h2><ul><li><a href="#errors">Errors</a></li><li><a href="#types">Types</a></li></ul></details></nav>`;

const errorLinks = (errors: Iterable<string>): Html[] =>
  [...errors].map((each, index) => {
    const [status = "", code = ""] = each.split(" ");
    return html`${index === 0 ? "" : ", "}${status} <a href="#error-${code}"><code>${code}</code></a>`;
  });

function partSection({ title, id, groups, common }: Part, sections: OperationSections): Html {
  return html`<h2 id="${id}">${title}</h2>
${common.size === 0 ? null : html`<p>Every request can also have these errors: ${errorLinks(common)}, and 401 without valid credentials.</p>`}
${groups.map(
  ({ tag, operations }) => html`<h3 id="${idOf(tag)}">${tag.name}</h3><p>${sentence(tag.description)}</p>
<ul>${operations.map(({ operationId, method, path }) => html`<li><a href="#${operationId}">${method} ${path}</a></li>`)}</ul>
${operations.map((each) => sections.render(each, common))}`,
)}`;
}

const errorTable = (): Html => html`<h2 id="errors">Errors</h2>
<p>The body of an error is an <a href="#type-Error"><code>Error</code></a>. Clients branch on its <code>code</code>.</p>
<table><thead><tr><th scope="col">Code</th><th scope="col">Status</th><th scope="col">Meaning</th></tr></thead><tbody>${Object.entries(
  ERRORS,
).map(
  ([code, { status, message }]) =>
    html`<tr id="error-${code}"><td><code>${code}</code></td><td>${status}</td><td>${message}</td></tr>`,
)}</tbody></table>`;

function types({ components: { schemas } }: OpenApi): Html {
  const names = new Set(Object.keys(schemas));
  const shown = Object.entries(schemas).filter(([name]) => name !== "ErrorCode");
  return html`<h2 id="types">Types</h2><p>In the notation of TypeScript. A question mark means that the field may be absent.</p>${shown
    .toSorted(([a], [b]) => (a < b ? -1 : 1))
    .map(
      ([name, schema]) => html`<section aria-labelledby="type-${name}"><h3 id="type-${name}">${name}</h3>
${linkedShape(shapeOf(schema), names)}</section>`,
    )}`;
}

/** Renders the OpenAPI document as a page for people. */
export function referenceBody(document: OpenApi): Html {
  const parts = partsOf(document);
  const sections = new OperationSections(document);
  return html`${navigation(parts)}<div class="content"><h1>API reference</h1>
<p>For programs: <a href="/openapi.json">openapi.json</a>, or only its <a href="/openapi/runtime.json">runtime</a> or <a href="/openapi/management.json">management</a> API.</p>${prose(document.info.description)}
${parts.map((part) => partSection(part, sections))}${errorTable()}${types(document)}</div>`;
}
