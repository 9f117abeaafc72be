import { LIMITS } from "@easel/protocol/limits";
import { TOKEN_SCOPES, TOOL_RIGHTS } from "@easel/protocol/management";
import { type Html, html } from "../http/html.ts";
import type { OfferedCanvas } from "./offered-canvases.ts";
import { type Choices, lifetimesWithin, SCOPES } from "./token-choices.ts";

/** A fault of the submitted form: its field and its message. */
export interface Fault {
  field: keyof Choices | null;
  message: string;
}

/** Renders a radio button with its label, and an explanation if there is one. */
export function choice(
  name: string,
  value: string,
  label: string,
  chosen: string,
  explanation?: string,
): Html {
  const id = `${name}-${value}`;
  const described = explanation === undefined ? null : html` aria-describedby="${id}-means"`;
  return html`<div class="choice">
    <input type="radio" id="${id}" name="${name}" value="${value}"${value === chosen ? html` checked` : null}${described}>
    <label for="${id}">${label}</label>${explanation === undefined ? null : html`<small id="${id}-means">${explanation}</small>`}</div>`;
}

/** Renders the box whose check makes an AI tool ask before it opens a canvas to more people. */
export const askBox = (isChecked: boolean): Html =>
  html`<div class="choice ask"><input type="checkbox" id="confirms" name="confirms" value="on"${isChecked ? html` checked` : null}
    aria-describedby="confirms-means"><label for="confirms">Ask me here before it opens a canvas to more people</label>
    <small id="confirms-means">It always asks before a canvas is deleted, gets a public link or a guest.</small></div>`;

/** What differs between tokens of programs and those of AI tools. */
const PARTS = {
  api: { rights: SCOPES, scopes: TOKEN_SCOPES, place: "CI", canvases: [] },
  mcp: {
    rights: TOOL_RIGHTS,
    scopes: TOKEN_SCOPES.toReversed(),
    place: "the editor on my laptop",
    canvases: [["made", "Only canvases that it makes itself"]],
  },
} as const;

/** Renders the form that creates a token, with the choices of the previous attempt and its fault, if there was one. */
export function tokenForm(
  chosen: Choices,
  { canvases, maxDays, fault }: { canvases: OfferedCanvas[]; maxDays: number | null; fault: Fault | null },
): Html {
  const marks = (field: keyof Choices) =>
    fault?.field === field ? html` aria-invalid="true" aria-describedby="fault" autofocus` : null;
  const { rights, scopes, place, canvases: others } = PARTS[chosen.audience];
  const options = [
    ["", "Every canvas"],
    ...others,
    ...canvases.map(({ id, title, slug }) => [id, `${title} (${slug})`]),
  ];
  return html`<form method="post" action="/tokens"><input type="hidden" name="audience" value="${chosen.audience}">
    ${fault === null ? null : html`<p class="fault" id="fault" role="alert">${fault.message}</p>`}
    <label for="name">Name</label>
    <input id="name" name="name" value="${chosen.name}" required maxlength="${LIMITS.nameLength.value}" autocomplete="off"
      placeholder="Where you will use it, such as: ${place}"${marks("name")}>
    <fieldset><legend>What it can do</legend>${scopes.map((scope) =>
      choice("scope", scope, rights[scope].label, chosen.scope, rights[scope].explanation),
    )}</fieldset>
    <label for="canvas">Canvas</label>
    <select id="canvas" name="canvas"${marks("canvas")}>${options.map(
      ([id = "", text = ""]) =>
        html`<option value="${id}"${id === chosen.canvas ? html` selected` : null}>${text}</option>`,
    )}</select>
    ${chosen.audience === "mcp" ? askBox(chosen.confirms) : null}
    <fieldset><legend>Ends</legend>
      ${lifetimesWithin(maxDays).map((days) => choice("end", String(days), `In ${days} days`, chosen.end))}
      ${choice("end", "date", "At the end of a day", chosen.end)}
      <div class="nested"><label for="date">Last day (UTC)</label>
      <input id="date" name="date" type="date" value="${chosen.date}"${marks("date")}></div>
      ${maxDays === null ? choice("end", "never", "Never", chosen.end) : null}</fieldset>
    <button class="button">Create token</button></form>`;
}
