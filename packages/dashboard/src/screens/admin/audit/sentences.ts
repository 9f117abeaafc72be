import { countOf, listOf } from "../../../kit/words.ts";

/** The fields of an entry of the audit log from which its sentence is made. */
interface Recorded {
  act: string;
  target: string | null;
  details: unknown;
}

/** The details of an entry. Their fields are not known: an earlier version of the service may have written them. */
type Details = Record<string, unknown>;

/** What a sentence is made of: the details, and the changed object besides the canvas. */
interface Facts {
  details: Details;
  target: string;
}

const textIn = (details: Details, field: string): string | null => {
  const value = details[field];
  return typeof value === "string" && value !== "" ? value : null;
};

const fieldsIn = (details: Details, leftOut: readonly string[] = []): string =>
  listOf(Object.keys(details).filter((field) => !leftOut.includes(field) && details[field] !== undefined));

/** Returns ` “text”` for a text in the details, or nothing. */
const quoted = (text: string | null): string => (text === null ? "" : ` “${text}”`);

const reasonIn = (details: Details): string => {
  const reason = textIn(details, "reason");
  return reason === null ? "" : `: ${reason}`;
};

const whom = ({ details, target }: Facts): string => textIn(details, "email") ?? target;

function updatedUser(facts: Facts): string {
  const { deactivated, canPublishPublic, quotas } = facts.details;
  const changes = [
    ...(deactivated === true ? ["deactivated"] : deactivated === false ? ["reactivated"] : []),
    ...(canPublishPublic === true ? ["allowed public links of"] : []),
    ...(canPublishPublic === false ? ["forbade public links of"] : []),
    ...(quotas === undefined ? [] : ["changed the quotas of"]),
  ];
  return `${changes.length === 0 ? "changed nothing of" : listOf(changes)} ${whom(facts)}`;
}

function handedOver({ details, target }: Facts): string {
  const { moved, left, deactivated } = details;
  const what = typeof moved === "number" ? countOf(moved, "thing") : "what they own";
  const rest = typeof left === "number" && left > 0 ? `, ${countOf(left, "thing")} could not be moved` : "";
  const from = textIn(details, "from") ?? target;
  return `handed ${what} of ${from} to ${textIn(details, "to") ?? "somebody else"}${rest}${
    deactivated === true ? ", and deactivated them" : ""
  }`;
}

function shared({ details }: Facts): string {
  const changes = fieldsIn(details);
  return `changed the sharing of a canvas${changes === "" ? "" : `: ${changes}`}`;
}

function tested({ details, target }: Facts): string {
  const { status, code } = details;
  const outcome =
    typeof status === "number" ? `status ${status}` : typeof code === "string" ? code : "no response";
  return `tried the Connection ${target}: ${outcome}`;
}

const toolsIn = ({ ended }: Details): string =>
  typeof ended === "number" ? countOf(ended, "connected tool") : "connected tools";

/** What each act is in words, after the name of the person. */
const SENTENCES: Record<string, (facts: Facts) => string> = {
  "app.create": ({ details }) => `connected the tool${quoted(textIn(details, "client"))}`,
  "app.end": ({ details }) =>
    `lost the connected tool${quoted(textIn(details, "client"))}${reasonIn(details)}`,
  "app.end-client": ({ details }) => `ended ${toolsIn(details)} of one program`,
  "app.revoke": () => "ended a connected tool",
  "audit.export": ({ details }) => `exported the audit log${quoted(textIn(details, "format"))}`,
  "authoring.create": ({ details }) => `made a canvas${quoted(textIn(details, "slug"))} from a page`,
  "authoring.deploy": () => "published a version of a canvas from a page",
  "authoring.revoke": () => "took a canvas offline from a page",
  "authoring.update": () => "changed a canvas from a page",
  "canvas.capabilities": ({ details }) =>
    `changed the backend of a canvas: ${fieldsIn(details) || "nothing"}`,
  "canvas.create": ({ details }) => `made the canvas${quoted(textIn(details, "slug"))}`,
  "canvas.delete": ({ details }) => `deleted the canvas${quoted(textIn(details, "slug"))}`,
  "canvas.delete-version": () => "deleted a version of a canvas",
  "canvas.deploy": () => "published a version of a canvas",
  "canvas.disable": ({ details }) => `disabled a canvas${reasonIn(details)}`,
  "canvas.enable": () => "enabled a canvas",
  "canvas.export": () => "exported the data of a canvas",
  "canvas.import": () => "imported data into a canvas",
  "canvas.invite": ({ details }) => `invited ${textIn(details, "email") ?? "a guest"} to a canvas`,
  "canvas.phase": ({ target }) => `switched the phase “${target}” of a canvas`,
  "canvas.preview": () => "made a link to a preview",
  "canvas.preview-open": () => "opened a signed-in preview",
  "canvas.publish": () => "published another version of a canvas",
  "canvas.purge-own": () => "deleted a canvas for good",
  "canvas.reassign": ({ details, target }) =>
    `gave a canvas of ${textIn(details, "from") ?? "somebody"} to ${target}${reasonIn(details)}`,
  "canvas.renew-invite": ({ details }) => `made another link for ${textIn(details, "email") ?? "a guest"}`,
  "canvas.restore": () => "restored a canvas of somebody",
  "canvas.restore-own": ({ details }) => `restored the canvas${quoted(textIn(details, "slug"))}`,
  "canvas.share": shared,
  "canvas.stage-finish": () => "published a version of a canvas",
  "canvas.take": ({ details }) =>
    `took a canvas of ${textIn(details, "from") ?? "somebody"}${reasonIn(details)}`,
  "canvas.transfer": ({ target }) => `gave a canvas to ${target}`,
  "canvas.uninvite": () => "ended an invitation to a canvas",
  "canvas.unpublish": () => "took a canvas offline",
  "canvas.update": ({ details }) => `changed a canvas: ${fieldsIn(details) || "nothing"}`,
  "connection.delete": ({ target }) => `deleted the Connection ${target}`,
  "connection.grant": ({ target }) => `granted the Connection ${target} to a canvas`,
  "connection.put": ({ details, target }) =>
    `${details.before === null ? "made" : "changed"} the Connection ${target}`,
  "connection.revoke": ({ target }) => `took the Connection ${target} from a canvas`,
  "connection.test": tested,
  "data.write": () => "changed data of a canvas",
  "me.set-mails": () => "chose which mails they get",
  "me.export": () => "exported what is stored of them",
  "org.delete": ({ target }) => `deleted the organisation ${target}`,
  "org.put": ({ details, target }) =>
    `${details.before === null ? "made" : "changed"} the organisation ${target}`,
  "session.end-all": ({ details }) =>
    `signed everyone out${details.tokens === true ? ", access tokens and connected tools included" : ""}`,
  "session.revoke": () => "signed out one of their sessions",
  "session.revoke-others": () => "signed out their other sessions",
  "settings.update": ({ details }) => `changed settings of the instance: ${fieldsIn(details) || "nothing"}`,
  "team.create": ({ details }) => `made the team${quoted(textIn(details, "name"))}`,
  "team.delete": () => "deleted a team",
  "team.leave": () => "left a team",
  "team.update": ({ details }) => `changed a team: ${fieldsIn(details) || "nothing"}`,
  "token.create": ({ details }) => {
    const person = textIn(details, "email");
    const kind = details.audience === "mcp" ? " for AI tools" : "";
    return `made the access token${quoted(textIn(details, "name"))}${kind}${person === null ? "" : ` of ${person}`}`;
  },
  "token.delete": () => "ended an access token",
  "user.add": (facts) =>
    `added ${whom(facts)}${facts.details.deactivated === true ? ", who cannot sign in" : ""}`,
  "user.end-apps": (facts) => `ended ${toolsIn(facts.details)} of ${whom(facts)}`,
  "user.end-guests": (facts) => `ended guests of ${whom(facts)}`,
  "user.end-sessions": (facts) => `ended sessions of ${whom(facts)}`,
  "user.erase": () => "erased a person",
  "user.export": () => "exported what is stored of a person",
  "user.handover": handedOver,
  "user.sign-out": (facts) =>
    `signed out ${whom(facts)}${facts.details.tokens === false ? "" : ", access tokens and connected tools included"}`,
  "user.unlink": (facts) => `unlinked the accounts of ${whom(facts)} at the sign-in service`,
  "user.update": updatedUser,
};

/** The acts that have a sentence, by name. */
export const KNOWN_ACTS: readonly string[] = Object.keys(SENTENCES).toSorted();

const detailsOf = ({ details }: Pick<Recorded, "details">): Details =>
  typeof details === "object" && details !== null && !Array.isArray(details) ? (details as Details) : {};

/** Whether an entry was recorded by the shell of the server, which is no person. */
export const isByShell = ({ actor }: { actor: { id: string } }): boolean => actor.id === "shell";

/** Returns who did what an entry records: an address, or the shell with the user of the operating system. */
export function actorOf(entry: { actor: { id: string; email: string }; details: unknown }): string {
  if (!isByShell(entry)) return entry.actor.email;
  const user = textIn(detailsOf(entry), "osUser");
  return user === null ? "The shell" : `The shell (${user})`;
}

/** Returns what somebody did in words that follow their name, such as "deactivated bo@acme.test". */
export function sentenceOf({ act, target, details }: Recorded): string {
  const known = Object.hasOwn(SENTENCES, act) ? SENTENCES[act] : undefined;
  return known?.({ details: detailsOf({ details }), target: target ?? "" }) ?? `did ${act}`;
}
