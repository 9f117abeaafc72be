import { encodeExtended, format } from "content-disposition";

/**
 * Returns a `Content-Disposition` header with the name of a file. The header contains the name twice: in ASCII for old programs, and
 * complete (RFC 5987).
 */
export const disposition = (type: "inline" | "attachment", name: string): string =>
  format({
    type,
    parameters: { filename: name.replace(/[^\x20-\x7e]/g, "?"), "filename*": encodeExtended(name) },
  });
