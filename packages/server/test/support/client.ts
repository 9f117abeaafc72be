import { request } from "node:http";
import { type Answer, type Header, read, send } from "@easel/conformance/http";
import type { Person } from "@easel/conformance/target";

/** The content type of a program. */
export const JSON_TYPE: Header = ["Content-Type", "application/json"];
/** The content type of a form. */
export const FORM: Header = ["Content-Type", "application/x-www-form-urlencoded"];

/** POST of these very bytes. */
export const post = (base: string, path: string, headers: Header[], body: string | Buffer): Promise<Answer> =>
  send(base, { method: "POST", path, headers, body });

/** Signs in as a program does. */
export const signIn = (base: string, body: unknown): Promise<Answer> =>
  post(base, "/auth/dev/session", [JSON_TYPE], JSON.stringify(body));

/** Signs in as the page does. */
export const submit = (base: string, fields: Record<string, string>): Promise<Answer> =>
  post(base, "/auth/login", [FORM], new URLSearchParams(fields).toString());

/** `GET /api/me` with these headers. */
export const whoAmI = (base: string, headers: Header[]): Promise<Answer> =>
  send(base, { method: "GET", path: "/api/me", headers });

/** The cookie that an answer sets, as a browser sends it back. */
export const cookieOf = ({ headers }: Answer): Header => [
  "Cookie",
  headers["set-cookie"]?.[0]?.split(";")[0] ?? "",
];

/** The session token of someone who has signed in. */
export const tokenOf = ({ headers }: Person): string => headers[0]?.[1].split("=")[1] ?? "";

/** GET in the name of another host. */
export function getAs(host: string, base: string, path: string): Promise<Answer> {
  const { hostname, port } = new URL(base);
  return new Promise((resolve, reject) => {
    request({ hostname, port, path, headers: { Host: host } }, (response) => resolve(read(response)))
      .on("error", reject)
      .end();
  });
}
