import type { ErrorCode } from "./errors.ts";
import type { LoggedCall, PAGE_ERROR_CODES } from "./management.ts";
import { ACCESS_LOST, CANVAS_FULL, REALTIME_OFF } from "./realtime-constants.ts";

/** What is known of a refused or failed call. */
type Refused = Pick<LoggedCall, "code" | "status">;

const FULL = "Delete what is no longer needed, or ask an administrator for more room.";
const SHARE = "Change that in Sharing.";
const OPERATOR = "An administrator can look the request up by its id.";

/** What each code means for somebody who may change the canvas, and what to do. */
const HINTS: Record<ErrorCode | (typeof PAGE_ERROR_CODES)[number], string> = {
  SCRIPT_ERROR:
    "The script of the page threw this, and nothing caught it. Correct it at the place that is named, or catch the error and tell people what to do.",
  LOAD_FAILED:
    "The page names a file that it does not get. Deploy the file, or correct the address: paths begin without a slash.",
  CSP_VIOLATION:
    "The page asked for what its content security policy does not allow, such as an address by http or of another canvas. Use https, or a file of this canvas.",
  CONFIRMATION_REQUIRED:
    "An AI tool asked for something that only its person allows, on a page of the service.",
  NOT_AUTHENTICATED:
    "Nobody was signed in, or the session had ended. The page should ask for a sign-in and try again.",
  PASSWORD_REQUIRED: `The canvas has a password, and this person had not entered it. ${SHARE}`,
  PERMISSION_DENIED:
    "The role of this person does not allow the call. Change the policy, or hide the control: me() says what is allowed.",
  CAPABILITY_DISABLED:
    "This part of the backend is off on the canvas, or on the service. Switch it on in Backend.",
  CROSS_CANVAS_FORBIDDEN: "The page called the API of another canvas. A page can call its own alone.",
  CROSS_SITE_FORBIDDEN: "A page of another site sent the call. Only pages of this canvas may.",
  MODEL_NOT_ALLOWED:
    "The page asked for an AI model that this service does not offer. Leave the model out, or name an allowed one.",
  DISABLED: "An administrator has disabled the canvas. Its overview has the reason.",
  STATIC_ONLY:
    "On a Public link only the owner and editors use the backend. Share with people or the organisation instead.",
  GUEST_AI_DISABLED: "AI is off for guests on this canvas. The owner can switch it on in Backend.",
  PUBLIC_LINKS_DISABLED:
    "Public links are off on this service. Share with people or the organisation instead.",
  PUBLIC_NOT_ALLOWED: "This person may not publish Public links. An administrator can allow it.",
  PUBLIC_LINK_OWNER_GATED:
    "The owner of the canvas may not publish Public links. An administrator can allow it.",
  DESTINATION_BLOCKED:
    "The request through the Connection led outside its approved address, perhaps by a redirect.",
  NOT_FOUND:
    "The page asked for something that is not there: deleted, never written, or hidden from this person by the policy.",
  ARCHIVED: "The canvas is archived and opens for nobody. Restore it in its overview.",
  NOT_INVITED: "A guest of another canvas called. Their invitation is not for this one.",
  OWNER_ONLY: `The canvas is not shared with this person. ${SHARE}`,
  SHARE_EXPIRED: `The date until which the canvas is shared has passed. ${SHARE}`,
  COLLECTION_NOT_CONFIGURED:
    "The policy has no entry of this name. Add one, or correct the name in the page.",
  CONNECTION_NOT_GRANTED:
    "This Connection is not allowed for the canvas. An administrator allows it; the policy says who uses it.",
  METHOD_NOT_ALLOWED: "This address does not take calls of this method. Correct the page.",
  INVALID_BODY: "The call is not as the service expects it; its message says where. Correct the page.",
  KEY_TOO_LARGE: "The key is longer than 512 bytes. Use a shorter one.",
  VALUE_TOO_LARGE: "The value is larger than 64 KiB. Split it, or store it as a file.",
  FILE_TOO_LARGE: "The file is larger than this service takes.",
  BODY_TOO_LARGE: "The call is larger than the service takes.",
  REQUEST_TOO_LARGE: "The request through the Connection is larger than the service sends.",
  KEY_LIMIT: `As many entries as may be are stored. ${FULL}`,
  NOT_NUMERIC: "The page increments a value that is not a number. Write a number there first.",
  NOT_UNIQUE:
    "There is such a record already, and the collection has only one of each. The page should change that one.",
  RECORD_CHANGED:
    "Somebody had changed the record since the page read it, so nothing was overwritten. The page should show what is there now.",
  POLICY_CONFLICT: "Somebody else had changed the policy meanwhile.",
  SHARE_REVOKED: "The page changed a canvas that was taken offline. It has to publish it again.",
  SHARE_CONFLICT: "The shared canvas had changed since the page read it. The page should read it again.",
  ORG_REQUIRED: "The person belongs to no organisation, so the page cannot share with one.",
  SLUG_TAKEN: "The name in the address is taken. The page should choose another one.",
  QUOTA_EXCEEDED: `A quota is used up; Use has all of them. ${FULL}`,
  GUEST_AI_CAP: "The guest has used up what AI may cost for one guest. An administrator sets that.",
  RATE_LIMITED:
    "The page sends too many calls a minute. Show data with live, count with increment, and wait before trying again.",
  CONNECTION_LIMIT:
    "Too many requests through Connections ran at once. The page should send fewer at the same time.",
  CONNECTION_RATE_LIMIT:
    "Too many requests through the Connection in a minute or a day. The page should keep what it has read.",
  CONNECTION_DISABLED: "An administrator has switched the Connection off.",
  CONNECTION_KEY_UNAVAILABLE:
    "The service cannot read the secret of the Connection. An administrator has to set it again.",
  UPSTREAM_TIMEOUT: "The other service took too long to answer. The page can try again later.",
  UPSTREAM_UNAVAILABLE: "The other service could not be reached. The page can try again later.",
  RESPONSE_TOO_LARGE: "The other service answered with more than 2 MiB. The page should ask for less.",
  AI_UPSTREAM_ERROR: "The AI provider failed. The page can try again later.",
  PUBLISH_FAILED: "The page made a canvas whose files could not be published; the message says why.",
  UPDATE_PARTIAL: "The settings were saved, but the new files could not be published; the message says why.",
  VERSION_LIVE: "The published version cannot be deleted.",
  VERSION_CONFLICT: "Another version was published meanwhile.",
  BLOBS_MISSING: "Files of the deploy had not been uploaded.",
  RANGE_NOT_SATISFIABLE: "The page asked for a part of a file that the file does not have.",
  UPGRADE_REQUIRED: "This address is opened as a WebSocket. Use the SDK for live messages.",
  CONCURRENCY_LIMIT:
    "This person had too many calls under way at once. The page should send fewer at the same time.",
  MISDIRECTED: "The call went to an address that this service does not answer for.",
  INTERNAL_ERROR: `The service failed; the page is not to blame. ${OPERATOR}`,
  INSUFFICIENT_STORAGE: "The disk of the service is full. Tell an administrator.",
  UNAVAILABLE: "The service was busy. The page can try again later.",
};

/** What the codes mean with which the service closes a WebSocket. */
const CLOSED: Record<number, string> = {
  [ACCESS_LOST]: "The person lost access while they were connected: signed out, or the sharing was changed.",
  [REALTIME_OFF]: "Live messages are off on the canvas, or on the service. Switch them on in Backend.",
  [CANVAS_FULL]:
    "As many people were connected as the canvas may have. Others get changes half a minute late.",
};

/** The name of a call in lists: its code, or its status if it has none. */
export const codeOf = ({ code, status }: Refused): string => code ?? String(status);

/** Returns why a call was refused or failed and what to do, for somebody who may change the canvas. */
export function hintOf({ code, status }: Refused): string {
  if (code !== null && Object.hasOwn(HINTS, code)) return HINTS[code as keyof typeof HINTS];
  if (Object.hasOwn(CLOSED, status)) return CLOSED[status] as string;
  if (status === 401 || status === 302) return HINTS.NOT_AUTHENTICATED;
  if (status === 429) return HINTS.RATE_LIMITED;
  if (status >= 1000) return "The service closed the live connection. The SDK connects again by itself.";
  return status >= 500 ? HINTS.INTERNAL_ERROR : "The service refused the call.";
}

const OF_BACKEND: readonly string[] = ["CAPABILITY_DISABLED", "GUEST_AI_DISABLED"];
const OF_SHARING: readonly string[] = ["PASSWORD_REQUIRED", "STATIC_ONLY", "OWNER_ONLY", "SHARE_EXPIRED"];

/** Returns the screen of the canvas on which what refused a call is changed, or null if it is not changed on a screen. */
export function remedyOf({ code, status }: Refused): "backend" | "sharing" | null {
  if (OF_SHARING.includes(code ?? "")) return "sharing";
  return OF_BACKEND.includes(code ?? "") || status === REALTIME_OFF ? "backend" : null;
}
