import assert from "node:assert/strict";
import { type Answer, type Header, send } from "./http.ts";
import { Jar } from "./jar.ts";
import { open, type Page, pageUrl } from "./page.ts";
import type { Person, Target } from "./target.ts";

/** What a browser says of a page that it wants to show. */
export const NAVIGATES: Header = ["Accept", "text/html,application/xhtml+xml,*/*;q=0.8"];
/** The content type of a form. */
export const FORM: Header = ["Content-Type", "application/x-www-form-urlencoded"];

const MOST_REDIRECTS = 10;
const GATE = "__service_gate";

/** The browser of a person, or of nobody: it keeps cookies, and what a proxy in front adds goes along with everything. */
export class Browser {
  readonly jar = new Jar();
  readonly #target: Target;
  readonly #headers: Header[] = [];

  constructor(target: Target, person: Person | null = null) {
    this.#target = target;
    const base = new URL(target.base);
    const kept = base.protocol === "https:" ? "Path=/; Secure" : "Path=/";
    for (const header of person?.headers ?? []) {
      if (header[0] !== "Cookie") this.#headers.push(header);
      else for (const pair of header[1].split("; ")) this.jar.take(base, [`${pair}; ${kept}`]);
    }
  }

  /** One request to the base host or to that of a canvas; no redirect is followed. */
  async send(method: string, url: URL, headers: Header[] = [], body?: string): Promise<Answer> {
    const answer = await send(this.#target.base, {
      method,
      path: url.pathname + url.search,
      host: url.host,
      headers: [...this.#headers, ...this.jar.headersFor(url), ...headers],
      ...(body === undefined ? {} : { body }),
    });
    this.jar.take(url, answer.headers["set-cookie"]);
    return answer;
  }

  /** Navigates: follows redirects within the service, but not to its sign-in page; that redirect is the answer then. */
  async visit(address: URL | string): Promise<Answer> {
    let url = new URL(address, this.#target.base);
    for (let turn = 0; turn < MOST_REDIRECTS; turn++) {
      const answer = await this.send("GET", url, [NAVIGATES]);
      const next = answer.headers.location && new URL(answer.headers.location, url);
      if (!next || signsIn(next, this.#target)) return answer;
      url = next;
    }
    return assert.fail(`${address} redirects without end`);
  }

  /** The page of a canvas as this browser shows it. */
  canvas(slug: string): Promise<Answer> {
    return this.visit(pageUrl(this.#target, slug));
  }

  /** Opens the canvas and sends the form of its password page. The answer is the gate's own, already followed. */
  async unlock(slug: string, password: string, accept: Header = NAVIGATES): Promise<Answer> {
    await this.canvas(slug);
    const url = new URL("__gate", pageUrl(this.#target, slug));
    const from: Header[] = [
      ["Origin", url.origin],
      ["Sec-Fetch-Site", "same-origin"],
      ["Referer", pageUrl(this.#target, slug)],
    ];
    const body = new URLSearchParams({ password }).toString();
    const answer = await this.send("POST", url, [accept, FORM, ...from], body);
    if (answer.status === 303 && answer.headers.location) {
      await this.visit(new URL(answer.headers.location, url));
    }
    return answer;
  }

  /** The value of the password cookie that calls to the API of a canvas carry. */
  gateCookie(slug: string): string | undefined {
    return this.jar.valueAt(this.#api(slug), GATE);
  }

  /** The API of a canvas as its page in this browser calls it, with the cookies of now. */
  api(slug: string): Page {
    const headers = [...this.#headers, ...this.jar.headersFor(this.#api(slug))];
    return open(this.#target, slug, { email: "", name: "", headers });
  }

  #api(slug: string): URL {
    return new URL(`/v1/c/${slug}/me`, this.#target.base);
  }
}

/** Whether a redirect leads to where people sign in: the service's own page, or a provider's. */
function signsIn(url: URL, { base }: Target): boolean {
  const { host } = new URL(base);
  const ours = url.host === host || url.host.endsWith(`.${host}`);
  return !ours || url.pathname === "/auth/login";
}
