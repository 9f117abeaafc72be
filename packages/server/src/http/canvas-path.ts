const SLUG = /^[a-z0-9][a-z0-9-]{1,61}[a-z0-9]$/;

/** Whether a text is a slug: one lower-case label of 3 to 63 letters, digits and inner hyphens, and not punycode. */
export const isSlug = (text: string): boolean => SLUG.test(text) && !text.startsWith("xn--");
