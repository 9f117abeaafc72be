import { CONNECTION_METHODS, type ConnectionMethod } from "@easel/protocol/policy";
import { z } from "zod";
import type { Description, Operation, RequestBody } from "../description.ts";

const anyBody: RequestBody = { type: "*/*", schema: z.string(), optional: true };

const UPSTREAM = {
  type: "*/*",
  headers: {
    "X-Service-Connection-Response": "Always `upstream`: the response is that of the external API.",
  },
};

/** The responses of the external API. A key such as `2XX` stands for all statuses from 200 to 299. */
const RESPONSES = Object.fromEntries(
  ["2XX", "3XX", "4XX", "5XX"].map((status) => [
    status,
    { description: "The response of the external API, with its status and body.", ...UPSTREAM },
  ]),
);

const call = (method: ConnectionMethod, suffix: string, where: string): Operation => ({
  id: `connections.${method.toLowerCase()}${suffix}`,
  summary: `Sends a ${method} request to ${where} of an external API.`,
  details:
    "The query is passed on, and so is the body. A response with the header `X-Service-Connection-Response: upstream` comes from the external API, whatever its status; one without it is an error of this service.",
  ...(["GET", "HEAD"].includes(method) ? {} : { body: anyBody }),
  responses: RESPONSES,
  errors: [
    "PERMISSION_DENIED",
    "DESTINATION_BLOCKED",
    "CONNECTION_NOT_GRANTED",
    "METHOD_NOT_ALLOWED",
    "REQUEST_TOO_LARGE",
    "CONNECTION_LIMIT",
    "CONNECTION_RATE_LIMIT",
    "UPSTREAM_UNAVAILABLE",
    "RESPONSE_TOO_LARGE",
    "CONNECTION_DISABLED",
    "CONNECTION_KEY_UNAVAILABLE",
    "UPSTREAM_TIMEOUT",
  ],
});

/** Describes the routes of Connections for the OpenAPI document. */
export const connectionsOperations: Description = {
  title: "Connections",
  summary:
    "Requests to external APIs that administrators have approved. `profile` is the name of the Connection; the path and the query are those of the request to the external API.",
  operations: Object.fromEntries(
    CONNECTION_METHODS.flatMap((method) => [
      [`${method} /connections/:profile`, call(method, "-root", "the root")],
      [`${method} /connections/:profile/*`, call(method, "", "a path")],
    ]),
  ),
};
