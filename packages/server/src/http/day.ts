import { type Html, html } from "./html.ts";

const MONTHS = ["Jan", "Feb", "Mar", "Apr", "May", "Jun", "Jul", "Aug", "Sep", "Oct", "Nov", "Dec"];

/** Renders the day (UTC) of a time in epoch milliseconds, such as `7 Jan 2026`. */
export function day(at: number): Html {
  const date = new Date(at);
  const text = `${date.getUTCDate()} ${MONTHS[date.getUTCMonth()]} ${date.getUTCFullYear()}`;
  return html`<time datetime="${date.toISOString()}">${text}</time>`;
}
