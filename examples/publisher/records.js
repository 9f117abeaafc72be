import { templateOf } from "./page.js";

/** The `sourceApp` of the canvases that this page publishes. The list shows only these canvases. */
export const SOURCE = "publisher";

const DAY = new Intl.DateTimeFormat("en", { dateStyle: "medium" });
const TIME = new Intl.DateTimeFormat("en", { dateStyle: "medium", timeStyle: "short" });
export const dayOf = (time) => DAY.format(time);
export const timeOf = (time) => TIME.format(time);

/**
 * Returns the title, the text and the template of the page that was published as a canvas. Text and template are in the metadata of the
 * canvas.
 */
export function pageOf({ title, metadata }) {
  const { text, template } = Object(metadata);
  return { title, text: typeof text === "string" ? text : "", template: templateOf(template) };
}

/**
 * Returns the metadata to store with the canvas of a page. The metadata contains the text and the template of the page, so that the page
 * can be edited again.
 */
export const metadataOf = ({ text, template }) => ({ sourceApp: SOURCE, sourceKind: "page", text, template });

/** Returns the value to select in the form under “Who may read it?” for a canvas, such as `private` or `password`. */
export const choiceOf = ({ access, hasPassword }) =>
  access === "public_link" && hasPassword ? "password" : access;

const STATES = {
  published: "Published",
  unpublished: "Taken down",
  draft: "Draft",
  expired: "Expired",
  archived: "Archived",
  disabled: "Disabled",
};
export const stateOf = ({ publicationStatus }) => STATES[publicationStatus];

const NOTES = {
  unpublished: "Its address shows nothing now. Edit and publish it to bring it back.",
  draft: "Publishing did not succeed. Edit it, and publish it again.",
  expired: "Its time has run out: only you can open it. Edit it to give it more time.",
  archived: "It is archived, and its address shows nothing until that is undone.",
  disabled: "An administrator has disabled it, and it cannot be changed.",
};
export const noteOf = ({ publicationStatus }) => NOTES[publicationStatus] ?? "";

/** Whether the address of a canvas shows the page to the owner. It does so for a published canvas and for an expired one. */
export const isServed = ({ publicationStatus }) => ["published", "expired"].includes(publicationStatus);

/** Returns a text that says who may read a canvas, and until when. */
export function audienceOf({ accessMode, audienceSummary, hasPassword, expiresAt }) {
  const { count, names } = audienceSummary;
  const listed =
    names.length > 0 ? `You and ${names.join(", ")}` : count > 0 ? `You and ${count} more` : "Only you";
  const who = { restricted: listed, whole_org: "Everyone who signs in", public_link: "Anyone with the link" };
  const lock = hasPassword ? " and the password" : "";
  return who[accessMode] + lock + (expiresAt === null ? "" : `, until ${dayOf(expiresAt)}`);
}
