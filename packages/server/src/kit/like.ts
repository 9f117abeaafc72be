/** A pattern for `lower(…) like … escape '!'`: what contains this text, in whatever letters. */
export const containing = (text: string): string => `%${text.toLowerCase().replace(/[%_!]/g, "!$&")}%`;
