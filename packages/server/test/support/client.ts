import { request } from "node:http";
import { type Answer, type Header, read, send } from "@easel/conformance/http";
import type { Person } from "@easel/conformance/target";

/** The header with the content type of JSON. */
export const JSON_TYPE: Header = ["Content-Type", "application/json"];
/** The header with the content type of a form. */
export const FORM: Header = ["Content-Type", "application/x-www-form-urlencoded"];

/** Sends a POST with these bytes. */
export const post = (base: string, path: string, headers: Header[], body: string | Buffer): Promise<Answer> =>
  send(base, { method: "POST", path, headers, body });

/** Signs in in dev mode with a JSON body. */
export const signIn = (base: string, body: unknown): Promise<Answer> =>
  post(base, "/auth/dev/session", [JSON_TYPE], JSON.stringify(body));

/** Signs in in dev mode with the form of the sign-in page. */
export const submit = (base: string, fields: Record<string, string>): Promise<Answer> =>
  post(base, "/auth/login", [FORM], new URLSearchParams(fields).toString());

/** Requests `GET /api/me` with these headers. */
export const whoAmI = (base: string, headers: Header[]): Promise<Answer> =>
  send(base, { method: "GET", path: "/api/me", headers });

/** Returns the Cookie header that sends back the first cookie of a response. */
export const cookieOf = ({ headers }: Answer): Header => [
  "Cookie",
  headers["set-cookie"]?.[0]?.split(";")[0] ?? "",
];

/** Returns the session token in the headers of a person. */
export const tokenOf = ({ headers }: Person): string => headers[0]?.[1].split("=")[1] ?? "";

/** Sends a GET with another Host header. */
export function getAs(host: string, base: string, path: string): Promise<Answer> {
  const { hostname, port } = new URL(base);
  return new Promise((resolve, reject) => {
    request({ hostname, port, path, headers: { Host: host } }, (response) => resolve(read(response)))
      .on("error", reject)
      .end();
  });
}
