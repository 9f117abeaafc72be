import type { Stage } from "@easel/conformance/fixture";
import { manage } from "@easel/conformance/fixture";
import type { Person } from "@easel/conformance/target";
import type { Canvas } from "@easel/protocol/types";
import type { Page } from "playwright-core";
import type { Dashboard } from "../support/dashboard.ts";

/** Opens the sharing screen of a canvas as a person. */
export const openSharing = async ({ open }: Dashboard, { email }: Person, { id }: Stage): Promise<Page> =>
  (await open(email, `/canvases/${id}/sharing`)).page;

/** Reads a canvas as its owner. */
export const readCanvas = async ({ target }: Dashboard, { id, people }: Stage): Promise<Canvas> =>
  (await manage(target, people.owner, "GET", `/api/canvases/${id}`)).json as unknown as Canvas;

/** The addresses of the people with whom a canvas is shared. */
export const emailsOf = async (dashboard: Dashboard, canvas: Stage): Promise<string[]> =>
  (await readCanvas(dashboard, canvas)).people.map(({ email }) => email);

/** The message that contains a text. It appears when a change is saved. */
export const message = (page: Page, text: string) => page.locator(".toast", { hasText: text });

/** Waits for the message about a change, and undoes the change. */
export async function undo(page: Page, text: string): Promise<void> {
  await message(page, text).getByRole("button", { name: "Undo" }).click();
  await message(page, "Undone.").getByRole("button", { name: "Dismiss" }).click();
}

/** Chooses an option of a select. */
export async function choose(page: Page, select: string, option: string): Promise<void> {
  await page.getByRole("button", { name: select }).click();
  await page.getByRole("option", { name: option }).click();
}

/** The row of the list that contains a text. */
export const row = (page: Page, text: string) => page.locator(".access-row", { hasText: text });
