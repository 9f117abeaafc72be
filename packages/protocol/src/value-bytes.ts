/** The maximum number of bytes of a KV value or a record, as JSON in UTF-8. In a module of its own for pages that need no other limit. */
export const VALUE_BYTES = 64 * 1024;
