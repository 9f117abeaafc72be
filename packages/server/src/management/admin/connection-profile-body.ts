import { CONNECTION_METHODS, isResourceName } from "@easel/protocol/policy";
import { z } from "zod";
import { distinct, entries } from "../../http/field-schemas.ts";
import { parseOrigin } from "../../organisation/connections/origin.ts";

const NAME = /^[a-z][a-z0-9_-]{0,62}$/;

/**
 * Whether a text can be the name of a profile. It must also be a valid key in the policy document of a canvas, so `constructor` is refused.
 */
const isName = (text: string) => NAME.test(text) && isResourceName(text);

/** The schema of the path parameters. */
export const Params = z.object({
  profile: z
    .string()
    .refine(
      isName,
      "must be a name of 1 to 63 lower-case letters, digits, hyphens and underscores that begins with a letter",
    ),
});

const origin = z.string().transform((given, context) => {
  const parsed = parseOrigin(given);
  if (parsed === null)
    context.addIssue({
      code: "custom",
      message: "must be https:// with a host name and at most a port, such as https://api.example.com",
    });
  return parsed ?? z.NEVER;
});

/**
 * The names of headers that an administrator cannot set as protected headers. They belong to the HTTP connection, such as
 * `transfer-encoding`, or change how the request is routed or answered, such as `host`.
 */
const UNPROTECTABLE =
  /^(host|connection|keep-alive|content-length|transfer-encoding|te|trailer|upgrade|expect|accept-encoding|proxy-.*)$/;

const headerName = z
  .string()
  .max(100)
  .regex(/^[!#$%&'*+.^_`|~0-9a-z-]+$/i, "is not a header name")
  .toLowerCase()
  .refine((name) => !UNPROTECTABLE.test(name), "cannot be a protected header")
  .refine((name) => name !== "__proto__", "is not a header name");

const headerValue = z
  .string()
  .max(8 * 1024)
  .regex(/^[\x21-\x7e]([\x20-\x7e\t]*[\x21-\x7e])?$/, "must be ASCII without spaces at its ends");

const MAX_HEADERS = 16;

/** The schema of a profile, as an administrator gives it. */
export const Body = z.strictObject({
  origin,
  methods: z
    .array(z.enum(CONNECTION_METHODS))
    .min(1, "must name at least one method; `enabled: false` stops every call")
    .max(CONNECTION_METHODS.length)
    .refine(distinct, "must not name a method twice"),
  headers: entries(headerName, headerValue, MAX_HEADERS).optional(),
  enabled: z.boolean().default(true),
});
