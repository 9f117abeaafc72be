import type { FastifyInstance } from "fastify";
import { encodedText } from "./encoded-text.ts";

/** The path that browsers request for every page without `<link rel="icon">`. */
export const FAVICON = "favicon.ico";

/** The mark of a canvas: a sheet on an easel. */
const MARK = `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 64 64">
  <rect width="64" height="64" rx="14" fill="#23406e"/>
  <path d="M32 8v6M22 46l-7 12M42 46l7 12M32 46v9" stroke="#ffc861" stroke-width="4" stroke-linecap="round"/>
  <rect x="12" y="14" width="40" height="31" rx="4" fill="#f7f4ea"/>
  <path d="M18 38l9-11 7 8 5-5 7 8z" fill="#7ddba3"/>
  <circle cx="42" cy="23" r="4" fill="#ffc861"/>
</svg>
`;

/** Sends the icon of canvases that have none of their own. Browsers report a missing icon as an error on every page. */
export const sendDefaultFavicon = encodedText("image/svg+xml", async () => MARK);

/**
 * Mounts the icon of the service's own host, `GET /favicon.ico`. In path mode it is also that of every canvas whose pages name no other
 * one. On the host of a canvas, a `favicon.ico` of the canvas comes first (`serve.ts`).
 */
export function mountFavicon(app: FastifyInstance): void {
  app.get(`/${FAVICON}`, sendDefaultFavicon);
}
