import type { JsonSchema } from "./json-shape.ts";

/** The parts of OpenAPI 3.1 that the document of this service uses. */
export interface OpenApi {
  openapi: "3.1.1";
  info: { title: string; version: string; summary: string; description: string; license: object };
  servers: { url: string; description: string }[];
  security: SecurityRequirement[];
  tags: Tag[];
  paths: Record<string, PathItem>;
  components: {
    securitySchemes: Record<string, object>;
    parameters: Record<string, Parameter>;
    headers: Record<string, Header>;
    responses: Record<string, ResponseObject>;
    schemas: Record<string, JsonSchema>;
  };
}

export interface Reference {
  $ref: string;
}

/** The security schemes that a request needs, by name, such as `{ token: [] }`. An empty object means that it needs no credentials. */
export type SecurityRequirement = Record<string, string[]>;

/** A group of operations. */
export interface Tag {
  name: string;
  description: string;
}

/** The operations of a path by method in lower case. */
export type PathItem = Record<string, OperationObject>;

export interface OperationObject {
  operationId: string;
  tags: string[];
  summary: string;
  description?: string;
  security?: SecurityRequirement[];
  parameters?: (Parameter | Reference)[];
  requestBody?: RequestBodyObject;
  responses: Record<string, ResponseObject | Reference>;
}

export interface Parameter {
  name: string;
  in: "path" | "query" | "header";
  required?: boolean;
  description?: string;
  schema: JsonSchema;
}

export interface Header {
  description: string;
  schema: JsonSchema;
}

export interface RequestBodyObject {
  required: boolean;
  content: Record<string, Content>;
}

export interface Content {
  schema?: JsonSchema;
  encoding?: Record<string, { contentType: string }>;
}

export interface ResponseObject {
  description: string;
  headers?: Record<string, Header | Reference>;
  content?: Record<string, Content>;
}
