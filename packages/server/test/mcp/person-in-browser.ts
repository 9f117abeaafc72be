import assert from "node:assert/strict";
import type { Browser, Page } from "playwright-core";
import { fillIn } from "../sign-in/oidc-provider.ts";

/** How people sign in to a service: by the form of dev mode, or at a provider. */
export type SignInMode = "dev" | "oidc";

/** A person in front of their own browser, who signs in whenever a page asks for it. */
export class PersonInBrowser {
  readonly page: Page;
  readonly #email: string;
  readonly #mode: SignInMode;

  private constructor(page: Page, email: string, mode: SignInMode) {
    this.page = page;
    this.#email = email;
    this.#mode = mode;
  }

  /** Opens an empty tab in a browser of their own. It does not reach other computers, such as the one for a font in the provider's forms. */
  static async open(browser: Browser, email: string, mode: SignInMode): Promise<PersonInBrowser> {
    const context = await browser.newContext();
    await context.route(/^https:/, (route) => route.abort());
    return new PersonInBrowser(await context.newPage(), email, mode);
  }

  /** Opens an address, and signs in if the service asks for it. */
  async visit(address: string): Promise<Page> {
    const { page } = this;
    await page.goto(address);
    const field = this.#mode === "dev" ? page.getByLabel("E-mail address") : page.locator("[name=login]");
    if ((await field.count()) > 0) await this.#signIn();
    return page;
  }

  async #signIn(): Promise<void> {
    if (this.#mode === "oidc") return fillIn(this.page, this.#email);
    await this.page.getByLabel("E-mail address").fill(this.#email);
    await this.page.getByRole("button", { name: "Sign in", exact: true }).click();
  }

  /** Requests an address of the API from the page that is open, with the session of the browser. */
  async api(address: string): Promise<Record<string, unknown>> {
    const { status, body } = await this.page.evaluate(async (asked) => {
      const answer = await fetch(asked);
      return { status: answer.status, body: (await answer.json()) as Record<string, unknown> };
    }, address);
    assert.equal(status, 200, JSON.stringify(body));
    return body;
  }
}
