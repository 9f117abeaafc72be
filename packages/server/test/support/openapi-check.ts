import { subscribe, unsubscribe } from "node:diagnostics_channel";
import { EXCHANGES, type Exchange } from "@easel/conformance/http";
import type { ValidateFunction } from "ajv";
import { Ajv2020 } from "ajv/dist/2020.js";
import type { Env } from "../../src/env.ts";
import { openApiOf } from "../../src/openapi/document.ts";
import type { JsonSchema } from "../../src/openapi/json-shape.ts";
import type { OpenApi, OperationObject, ResponseObject } from "../../src/openapi/openapi.ts";

/** Statuses that every operation can have. Each operation in the document has one response for all of them, `default`. */
const OF_THE_SERVICE = [408, 421, 431, 500, 503, 507];

/** Operations whose handlers accept bodies that their schemas reject. The document says so in the description of the operation. */
const LENIENT = ["kv.increment", "kv.user.increment"];

/** An operation, and where it is in the document. */
interface Described extends OperationObject {
  method: string;
  segments: string[];
  pointer: string;
}

/**
 * Forbids fields that a schema does not describe. The document allows them, because later versions of the service may add some; in tests, a
 * field that is missing from the document is a fault.
 */
function close(part: unknown): void {
  if (typeof part !== "object" || part === null) return;
  const schema = part as JsonSchema;
  if (schema.type === "object" && schema.properties && schema.additionalProperties === undefined)
    schema.additionalProperties = false;
  for (const each of Object.values(part)) close(each);
}

const escaped = (name: string) => name.replaceAll("~", "~0").replaceAll("/", "~1");

/** Decodes a segment of a path. A malformed one stays as it is. */
function decoded(segment: string): string {
  try {
    return decodeURIComponent(segment);
  } catch {
    return segment;
  }
}

const isParameter = (segment: string) => segment.startsWith("{");

/** Checks each request to a service, and its response, against the OpenAPI document. */
export class OpenApiCheck {
  readonly #faults = new Map<string, string>();
  readonly #document: OpenApi;
  readonly #operations: Described[];
  readonly #succeeded = new Set<string>();
  readonly #ajv = new Ajv2020({ strict: false, validateSchema: false, logger: false });
  readonly #validators = new Map<string, ValidateFunction>();

  readonly #listener = (exchange: unknown) => this.#check(exchange as Exchange);

  constructor(env: Pick<Env, "base">) {
    this.#document = structuredClone(openApiOf(env));
    close(this.#document.components);
    for (const item of Object.values(this.#document.paths))
      for (const { responses } of Object.values(item)) close(responses);
    this.#ajv.addSchema(this.#document, "openapi");
    this.#operations = Object.entries(this.#document.paths)
      .flatMap(([path, item]) =>
        Object.entries(item).map(([method, operation]) => ({
          ...operation,
          method: method.toUpperCase(),
          segments: path.split("/"),
          pointer: `openapi#/paths/${escaped(path)}/${method}`,
        })),
      )
      // The router prefers fixed segments, from left to right.
      .sort((a, b) => precedence(a).localeCompare(precedence(b)));
  }

  /** Begins to check the exchanges of this process. */
  start(): void {
    subscribe(EXCHANGES.name, this.#listener);
  }

  /** Ends the checks. */
  stop(): void {
    unsubscribe(EXCHANGES.name, this.#listener);
  }

  /**
   * Returns the ids of the operations in these groups that have not succeeded yet. Leaves out WebSocket operations, which are never
   * checked.
   */
  unseen(groups: string[]): string[] {
    return this.#operations
      .filter(({ tags, responses }) => groups.includes(tags[0] ?? "") && responses[101] === undefined)
      .map(({ operationId }) => operationId)
      .filter((id) => !this.#succeeded.has(id));
  }

  /**
   * What requests and responses had that the document does not describe. Each fault is listed once, with the beginning of one response
   * body.
   */
  get faults(): string[] {
    return [...this.#faults].map((each) => each.join(": "));
  }

  #find(method: string, path: string): Described | undefined {
    const segments = (path.split("?")[0] ?? "").split("/").map(decoded);
    const find = (wanted: string) =>
      this.#operations.find(
        (each) =>
          each.method === wanted &&
          (each.segments.length === segments.length ||
            (each.segments.at(-1) === "{path}" && each.segments.length < segments.length)) &&
          each.segments.every((segment, index) => isParameter(segment) || segment === segments[index]),
      );
    return find(method) ?? (method === "HEAD" ? find("GET") : undefined);
  }

  #check({ request, answer: { status, headers, bytes } }: Exchange): void {
    // Hosts of canvases have other routes.
    const operation = request.host === undefined ? this.#find(request.method, request.path) : undefined;
    if (operation === undefined) return;
    if (headers["x-service-connection-response"] === "upstream") {
      // The status and the body are those of the external API.
      this.#succeeded.add(operation.operationId);
      return;
    }
    const say = (fault: string) =>
      void this.#faults.set(`${operation.operationId} ${status} ${fault}`, bytes.toString().slice(0, 300));
    const { responses } = operation;
    const name = [String(status), OF_THE_SERVICE.includes(status) ? "default" : ""].find(
      (each) => each in responses,
    );
    if (name === undefined) {
      if (![302, 303, 405].includes(status)) say("is not described");
      return;
    }
    const { pointer, content } = this.#resolve(
      responses[name] as ResponseObject,
      `${operation.pointer}/responses/${name}`,
    );
    if (status < 300) this.#succeed(operation, request, say);
    if (request.method === "HEAD" || status === 304) return;
    const type = headers["content-type"]?.split(";")[0] ?? "";
    if (content === undefined) {
      if (bytes.length > 0) say("has a body");
      return;
    }
    const described = [type, "*/*"].find((each) => each in content);
    if (described === undefined) say(`has the type ${type}`);
    if (described === undefined || content[described]?.schema === undefined) return;
    const fault = this.#faultOf(
      `${pointer}/content/${escaped(described)}/schema`,
      valuesOf(type, bytes.toString()),
    );
    if (fault !== null) say(fault);
  }

  /** Notes that an operation has succeeded, and checks the JSON body of the request. */
  #succeed(
    operation: Described,
    { headers = [], body }: Exchange["request"],
    say: (fault: string) => void,
  ): void {
    const { operationId, requestBody, pointer } = operation;
    this.#succeeded.add(operationId);
    const isJson = headers.some(
      ([name, value]) => /^content-type$/i.test(name) && value.startsWith("application/json"),
    );
    if (!isJson || body === undefined || LENIENT.includes(operationId)) return;
    if (requestBody?.content["application/json"] === undefined) return;
    const schema = `${pointer}/requestBody/content/application~1json/schema`;
    const fault = this.#faultOf(schema, [JSON.parse(body.toString())]);
    if (fault !== null) say(`for a request that does not fit: ${fault}`);
  }

  #resolve(
    response: ResponseObject & { $ref?: string },
    pointer: string,
  ): { pointer: string } & ResponseObject {
    if (response.$ref === undefined) return { pointer, ...response };
    const name = response.$ref.split("/").at(-1) ?? "";
    return {
      pointer: `openapi${response.$ref}`,
      ...(this.#document.components.responses[name] as ResponseObject),
    };
  }

  /** Validates values against the schema at `pointer` in the document. Returns the first fault; null if all values are valid. */
  #faultOf(pointer: string, values: unknown[]): string | null {
    const validate = this.#validators.get(pointer) ?? this.#ajv.compile({ $ref: pointer });
    this.#validators.set(pointer, validate);
    const bad = values.find((value) => !validate(value));
    if (bad === undefined) return null;
    const [fault] = validate.errors ?? [];
    return `${fault?.instancePath.replace(/\d+/g, "#")} ${fault?.message} ${JSON.stringify(fault?.params)}`;
  }
}

const precedence = ({ segments }: Described) =>
  segments.map((segment) => (isParameter(segment) ? "1" : "0")).join("");

/** Returns the JSON values of a body: one, or those of the events of an event stream. */
function valuesOf(type: string, text: string): unknown[] {
  if (type !== "text/event-stream") return [JSON.parse(text)];
  return [...text.matchAll(/^data: ([^\n]*)$/gm)].map(([, data = ""]) => JSON.parse(data));
}
