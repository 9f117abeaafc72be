import { z } from "zod";
import { type Description, json, jsonBody, nextCursor, ok, paging } from "../description.ts";
import { optionalRead, orAbsent } from "../value.ts";

const submission = z
  .strictObject({ userId: z.string(), value: z.json(), updatedAt: z.int() })
  .meta({ id: "Submission" });

const page = z.strictObject({ entries: z.array(submission), nextCursor }).meta({ id: "SubmissionPage" });

/** Describes the routes for submissions for the OpenAPI document. */
export const submissionsOperations: Description = {
  title: "Submissions",
  summary:
    "One JSON value per person and collection. Everyone reads and writes their own; the owner and editors list and delete all. The collections need no policy.",
  operations: {
    "GET /submissions/:collection/mine": {
      id: "submission.mine",
      summary: "Returns the caller's own submission.",
      query: optionalRead,
      responses: json("The submission.", orAbsent(submission)),
      errors: ["PERMISSION_DENIED"],
    },
    "PUT /submissions/:collection/mine": {
      id: "submission.set",
      summary: "Creates or replaces the caller's own submission.",
      body: jsonBody(z.json()),
      responses: json("The submission as stored.", submission),
      errors: ["PERMISSION_DENIED", "VALUE_TOO_LARGE", "KEY_LIMIT"],
    },
    "DELETE /submissions/:collection/mine": {
      id: "submission.delete",
      summary: "Deletes the caller's own submission.",
      details: "Succeeds also if there is none.",
      responses: ok,
      errors: ["PERMISSION_DENIED"],
    },
    "GET /submissions/:collection": {
      id: "submission.list",
      summary: "Lists the submissions of all people. For the owner and editors.",
      query: z.object(paging),
      responses: json("A page of submissions.", page),
      errors: ["PERMISSION_DENIED"],
    },
    "DELETE /submissions/:collection": {
      id: "submission.clear",
      summary: "Deletes the submissions of all people. For the owner and editors.",
      responses: ok,
      errors: ["PERMISSION_DENIED"],
    },
    "DELETE /submissions/:collection/:user": {
      id: "submission.remove",
      summary: "Deletes the submission of one person. For the owner and editors.",
      details: "Succeeds also if there is none.",
      responses: ok,
      errors: ["PERMISSION_DENIED"],
    },
  },
};
