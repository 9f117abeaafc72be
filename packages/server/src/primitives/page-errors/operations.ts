import { LIMITS } from "@easel/protocol/limits";
import { PAGE_ERROR_CODES } from "@easel/protocol/management";
import { z } from "zod";
import { manages } from "../../access/roles.ts";
import { newId } from "../../crypto/ids.ts";
import { refuse } from "../../http/refusal.ts";
import { jsonBody } from "../../operations/operation-body.ts";
import { shortened } from "../logged-calls.ts";
import { operation, type Primitive } from "../primitive.ts";

/** The maximum size of a report: as much as browsers send of a page that has been left. */
const MAX_BYTES = 64 * 1024;

/** A text of a page. A longer one is cut, and control characters are replaced. */
const text = z.string().transform((given) => shortened(given, LIMITS.pageErrorLength.value));

const position = z.int().min(1).max(1e9).nullable().default(null);

const report = z
  .object({
    errors: z
      .array(
        z.object({
          code: z.enum(PAGE_ERROR_CODES),
          message: text.meta({ description: "What went wrong, in the words of the browser." }),
          page: text.meta({ description: "The path of the page below the address of the canvas." }),
          source: text
            .nullable()
            .default(null)
            .meta({ description: "The script in which it happened; null if it is part of the page." }),
          line: position.meta({ description: "The line in `source`, from 1." }),
          column: position.meta({ description: "The column in `source`, from 1." }),
          count: z.int().min(1).max(1e9).default(1).meta({ description: "How often it has happened." }),
          preview: z
            .boolean()
            .default(false)
            .meta({ description: "Whether the page is the preview of a version." }),
        }),
      )
      .min(1)
      .max(LIMITS.pageErrorsPerMinute.value),
  })
  .meta({ id: "PageErrorReport" });

/**
 * The primitive by which a page reports its own errors: script errors, subresources that do not load, and what the content security policy
 * blocks. They are added to the call log of the canvas (decision 111). No capability turns it off, because pages without a backend fail, too.
 */
export const pageErrors: Primitive = {
  capability: "identity",
  checksCapability: true,
  title: "Errors of pages",
  summary:
    "The SDK reports errors of a page here if the person who has it open is the owner or an editor, or if it is a preview. They are in the call log of the canvas.",
  readable: true,
  reportsErrors: true,
  operations: [
    operation({
      name: "page-errors.report",
      cost: "cheap",
      method: "POST",
      path: "/page-errors",
      summary: "Adds errors of a page of the canvas to its call log.",
      details: `Only for the owner and editors; nothing in the body decides who reports. Of one person, ${LIMITS.pageErrorsPerMinute.value} errors a minute are logged; further ones are only counted. Texts are cut after ${LIMITS.pageErrorLength.value} characters. The body is read whatever its media type is.`,
      responses: { 204: { description: "The errors have been received." } },
      errors: ["PERMISSION_DENIED", "INVALID_BODY"],
      may({ role }) {
        if (!manages(role)) refuse("PERMISSION_DENIED");
      },
      body: jsonBody(report, {
        limit: MAX_BYTES,
        tooLarge: () => refuse("INVALID_BODY", { message: "A report must not have more than 64 KiB." }),
      }),
      async run({ canvas, user, credential }, { body: { errors } }, { callLog, clock }) {
        const requestId = newId();
        for (const { code, message, ...pageError } of errors) {
          const preview = pageError.preview || credential?.kind === "preview";
          callLog.add(
            canvas,
            {
              at: clock(),
              method: "POST",
              route: "/page-errors",
              status: 204,
              code,
              message,
              userId: user.id,
              requestId,
              pageError: { ...pageError, preview },
            },
            "page",
          );
        }
        return { status: 204, body: null };
      },
    }),
  ],
};
