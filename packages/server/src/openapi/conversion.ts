import type { Description, Response } from "../operations/operation.ts";
import type { BodyDescription } from "../operations/operation-body.ts";
import { type CommonErrors, ErrorResponses, RATE_HEADERS } from "./error-responses.ts";
import type { OperationObject, RequestBodyObject, ResponseObject, SecurityRequirement } from "./openapi.ts";
import { headerParameters, pathParameters, queryParameters } from "./parameters.ts";
import { Schemas } from "./schemas.ts";

/** What the document says about an operation beside its description: its group, common errors, rate limit and credentials. */
export interface Surface {
  tag: string;
  common: CommonErrors;
  /** Whether requests are counted for a rate limit. */
  isLimited: boolean;
  /** The credentials that requests need, if they are not those of the whole document. Empty if they need none. */
  security?: SecurityRequirement[];
}

/**
 * Converts operations of the service to operation objects of OpenAPI. Collects the named schemas and error responses to which these objects
 * refer.
 */
export class Operations {
  readonly #docs: string;
  readonly schemas = new Schemas();
  readonly errors = new ErrorResponses();

  /** `origin` is the address of the service. */
  constructor(origin: string) {
    this.#docs = `${origin}/docs/http/`;
  }

  /**
   * Replaces the relative links in a description by absolute ones. A relative link starts from `docs/http/`; `#…` is a heading of
   * `management.md`.
   */
  text(markdown: string): string {
    return markdown.replace(/\]\(([^)]+)\)/g, (_all, link: string) => {
      const page = link.startsWith("#") ? `management.md${link}` : link;
      return `](${new URL(page, this.#docs).href})`;
    });
  }

  /** Converts the description of the operation at a path, such as `/v1/c/{slug}/kv/{key}`. */
  convert(
    path: string,
    operation: Description,
    { tag, common, isLimited, security }: Surface,
  ): OperationObject {
    const { name, summary, details, query, headers, body, responses, errors = [] } = operation;
    const parameters = [
      ...pathParameters(path),
      ...queryParameters(query?.schema, this.schemas),
      ...headerParameters(headers),
    ];
    return {
      operationId: name,
      tags: [tag],
      summary,
      ...(details !== undefined && { description: this.text(details) }),
      ...(security !== undefined && { security }),
      ...(parameters.length > 0 && { parameters }),
      ...(body !== undefined && body.none !== true && { requestBody: this.#body(body) }),
      responses: {
        ...Object.fromEntries(
          Object.entries(responses).map(([status, each]) => [status, this.#response(each, isLimited)]),
        ),
        ...this.errors.of(common, errors, security?.length !== 0),
      },
    };
  }

  #body({ type, schema, parts, optional }: BodyDescription): RequestBodyObject {
    const encoding =
      parts &&
      Object.fromEntries(Object.entries(parts).map(([name, contentType]) => [name, { contentType }]));
    const content = { schema: this.schemas.request(schema), ...(encoding && { encoding }) };
    return {
      required: optional !== true,
      content: Object.fromEntries(type.split(", ").map((each) => [each, content])),
    };
  }

  #response({ description, type, schema, headers = {} }: Response, isLimited: boolean): ResponseObject {
    const described = Object.entries(headers).map(
      ([name, meaning]) => [name, { description: meaning, schema: { type: "string" } }] as const,
    );
    const all = { ...(isLimited && RATE_HEADERS), ...Object.fromEntries(described) };
    return {
      description,
      ...(Object.keys(all).length > 0 && { headers: all }),
      ...(type !== undefined && {
        content: Object.fromEntries(
          type
            .split(", ")
            .map((each) => [each, schema === undefined ? {} : { schema: this.schemas.response(schema) }]),
        ),
      }),
    };
  }
}
