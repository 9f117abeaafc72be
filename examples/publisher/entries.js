import { choiceOf, metadataOf } from "./records.js";

const DAY_MS = 86_400_000;

/** Returns what a person has entered into the fields of the form. */
export const entriesOf = (field) => ({
  title: field.title.value.trim(),
  text: field.text.value,
  template: field.template.value,
  access: field.access.value,
  password: field.password.value,
  expiry: field.expiry.value,
  slug: field.slug.value.trim(),
});

/**
 * Returns the first error in the form as `[field, message]`, such as `["title", "A page needs a title."]`. Returns undefined if there is no
 * error.
 */
export function faultOf({ title, text, access, password }, base) {
  if (title === "") return ["title", "A page needs a title."];
  if (text.trim() === "") return ["text", "Write something first."];
  const has = base !== null && choiceOf(base) === "password";
  if (access === "password" && password === "" && !has) return ["password", "Choose a password first."];
  return undefined;
}

function expiryOf(expiry, base) {
  if (expiry === "keep") return undefined;
  if (expiry !== "") return Date.now() + Number(expiry) * DAY_MS;
  return base?.expiresAt == null ? undefined : null;
}

/**
 * Returns the settings to send: for a new page if `base` is null, otherwise for an update of the canvas `base`. In an update, an undefined
 * setting keeps its value, and null clears the setting. The access is undefined unless the person has changed it.
 */
export function settingsOf(entries, base) {
  const { title, access, password: typed, expiry, slug } = entries;
  const given = { title, metadata: metadataOf(entries), expiresAt: expiryOf(expiry, base) };
  const password = access === "password" && typed !== "" ? typed : undefined;
  if (base === null) return { ...given, access, password, slug: slug || undefined };
  const before = choiceOf(base);
  return {
    ...given,
    access: access === before ? undefined : access,
    password: before === "password" && access !== before ? null : password,
    expectedUpdatedAt: base.updatedAt,
  };
}
