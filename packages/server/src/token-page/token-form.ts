import { LIMITS } from "@easel/protocol/limits";
import { TOKEN_SCOPES } from "@easel/protocol/management";
import { type Html, html } from "../http/html.ts";
import type { OfferedCanvas } from "./store.ts";
import { type Choices, LIFETIMES, SCOPES } from "./token-choices.ts";

/** A fault of the submitted form: its field and its message. */
export interface Fault {
  field: keyof Choices | null;
  message: string;
}

const NOTHING = html``;

/** Renders a radio button with its label, and an explanation if there is one. */
function choice(name: string, value: string, label: string, chosen: string, explanation?: string): Html {
  const id = `${name}-${value}`;
  const described = explanation === undefined ? NOTHING : html` aria-describedby="${id}-means"`;
  return html`<div class="choice">
    <input type="radio" id="${id}" name="${name}" value="${value}"${value === chosen ? html` checked` : NOTHING}${described}>
    <label for="${id}">${label}</label>${explanation === undefined ? null : html`<small id="${id}-means">${explanation}</small>`}</div>`;
}

/** Renders the form that creates a token, with the choices of the previous attempt and its fault, if there was one. */
export function tokenForm(chosen: Choices, canvases: OfferedCanvas[], fault: Fault | null): Html {
  const marks = (field: keyof Choices) =>
    fault?.field === field ? html` aria-invalid="true" aria-describedby="fault" autofocus` : NOTHING;
  return html`<form method="post" action="/tokens">
    ${fault === null ? null : html`<p class="fault" id="fault" role="alert">${fault.message}</p>`}
    <label for="name">Name</label>
    <input id="name" name="name" value="${chosen.name}" required maxlength="${LIMITS.nameLength.value}" autocomplete="off"
      placeholder="Where you will use it, such as: CI"${marks("name")}>
    <fieldset><legend>What it can do</legend>${TOKEN_SCOPES.map((scope) => {
      const { label, explanation } = SCOPES[scope];
      return choice("scope", scope, label, chosen.scope, explanation);
    })}</fieldset>
    <label for="canvas">Canvas</label>
    <select id="canvas" name="canvas"${marks("canvas")}><option value="">Every canvas</option>${canvases.map(
      ({ id, title, slug }) =>
        html`<option value="${id}"${id === chosen.canvas ? html` selected` : NOTHING}>${title} (${slug})</option>`,
    )}</select>
    <fieldset><legend>Ends</legend>
      ${LIFETIMES.map((days) => choice("end", String(days), `In ${days} days`, chosen.end))}
      ${choice("end", "date", "At the end of a day", chosen.end)}
      <div class="nested"><label for="date">Last day (UTC)</label>
      <input id="date" name="date" type="date" value="${chosen.date}"${marks("date")}></div>
      ${choice("end", "never", "Never", chosen.end)}</fieldset>
    <button class="button">Create token</button></form>`;
}
