import { element, field } from "./elements.ts";
import { readFold, writeFold } from "./fold.ts";
import { STYLE } from "./style.ts";

/** What the bar shows: the signed-in person, the people to choose from, and the faults of `easel.json`. */
export interface BarState {
  /** The e-mail address of the signed-in person, or null. */
  me: string | null;
  /** Whether the host of the page belongs to one person, as `ben.localhost` does. It is false on `localhost`. */
  isPersonHost: boolean;
  people: { host: string; email: string; name: string; role: string; origin: string }[];
  faults: string[];
}

const initialsOf = (name: string): string =>
  name
    .split(/\s+/)
    .map((word) => word[0] ?? "")
    .slice(0, 2)
    .join("")
    .toUpperCase();

/** Returns the address of this page at another origin. */
const addressAt = (origin: string): string => origin + location.pathname + location.search + location.hash;

/** The bar, in a shadow root. Its button shows the signed-in person and the role, and opens a panel to switch to another person. */
export class View {
  readonly #host = document.createElement("easel-dev-bar");
  readonly #toggle = element("button", { type: "button", class: "toggle", "aria-controls": "panel" });
  readonly #panel = element("div", { class: "panel", id: "panel", role: "group", "aria-label": "easel dev" });
  readonly #faults = element("div", { class: "faults", role: "status" });
  #state: BarState = { me: null, isPersonHost: false, people: [], faults: [] };
  #isFolded = readFold();

  constructor() {
    const root = this.#host.attachShadow({ mode: "open" });
    const style = new CSSStyleSheet();
    style.replaceSync(STYLE);
    root.adoptedStyleSheets = [style];
    root.append(this.#panel, this.#faults, this.#toggle);
    this.#open(false);
    this.#toggle.addEventListener("click", () => this.#open(this.#panel.hidden !== false));
    this.#host.addEventListener("keydown", ({ key }) => {
      if (key !== "Escape" || this.#panel.hidden) return;
      this.#open(false);
      this.#toggle.focus();
    });
    document.addEventListener("pointerdown", (event) => {
      if (!event.composedPath().includes(this.#host)) this.#open(false);
    });
  }

  /** Shows a state. Adds the bar to the page if it is not there. */
  show(state: BarState): void {
    this.#state = state;
    this.#say(state.faults.map((fault) => `easel.json: ${fault}`));
    this.#draw();
    const add = () => {
      if (!this.#host.isConnected) document.documentElement.append(this.#host);
    };
    if (document.readyState === "loading") document.addEventListener("DOMContentLoaded", add, { once: true });
    else add();
  }

  /** Says that `easel dev` has ended. */
  end(): void {
    this.#open(false);
    this.#toggle.replaceChildren(element("span", { class: "name" }, "easel dev has ended"));
  }

  #say(lines: string[]): void {
    this.#faults.replaceChildren(...lines.map((line) => element("p", {}, line)));
  }

  #open(isOpen: boolean): void {
    this.#panel.hidden = !isOpen;
    this.#toggle.setAttribute("aria-expanded", String(isOpen));
  }

  #draw(): void {
    const { me, people } = this.#state;
    const { name, role } = people.find(({ email }) => email === (me ?? "")) ?? { name: me ?? "", role: "" };
    const long = role === "" ? name : `${name}, ${role}`;
    this.#toggle.setAttribute("aria-label", `easel dev: ${long}`);
    const badge = element("span", { class: "badge", "data-initials": initialsOf(name) });
    const shown = element("span", { class: "name" }, long);
    this.#toggle.replaceChildren(badge, ...(this.#isFolded ? [] : [shown]));
    this.#panel.replaceChildren(
      element("h2", {}, "View this page as"),
      element("ul", {}, ...people.map((person) => this.#row(person))),
      this.#newPerson(),
      this.#foldButton(),
    );
  }

  #foldButton(): HTMLButtonElement {
    const fold = element("button", { type: "button", class: "plain" }, this.#isFolded ? "Unfold" : "Fold");
    fold.addEventListener("click", () => {
      this.#isFolded = !this.#isFolded;
      writeFold(this.#isFolded);
      this.#draw();
      this.#open(false);
      this.#toggle.focus();
    });
    return fold;
  }

  /** Creates the list item of a person: a button that switches to the person, and a link that opens a new window as the person. */
  #row(person: BarState["people"][number]): HTMLLIElement {
    const become = element("button", { type: "button", class: "person" }, person.name);
    if (person.email === (this.#state.me ?? "")) become.setAttribute("aria-current", "true");
    if (person.role !== "") become.append(element("small", {}, person.role));
    become.addEventListener("click", () => this.#choose({ host: person.host }));
    const link = element("a", { target: "_blank", rel: "noopener" }, "New window");
    link.setAttribute("aria-label", `Open a new window as ${person.name}`);
    // The page may have changed its address since the link was created.
    for (const event of ["pointerdown", "focus"])
      link.addEventListener(event, () => {
        link.href = addressAt(person.origin);
      });
    link.href = addressAt(person.origin);
    return element("li", {}, become, link);
  }

  #newPerson(): HTMLFormElement {
    const name = field("name", "text", "Name");
    const email = field("email", "email", "E-mail address");
    const form = element("form", {}, name, email, element("button", {}, "Add"));
    form.addEventListener("submit", (event) => {
      event.preventDefault();
      void this.#choose({ name: name.value, email: email.value });
    });
    return form;
  }

  /** Switches to another person. On `localhost`, reloads the page; on the host of a person, goes to the host of the other person. */
  async #choose(choice: { host: string } | { name: string; email: string }): Promise<void> {
    const response = await fetch("/__easel_dev/person", {
      method: "POST",
      headers: { "content-type": "application/json" },
      body: JSON.stringify(choice),
    }).catch(() => null);
    if (response?.ok !== true)
      return this.#say([response === null ? "easel dev does not answer." : (await response.text()).trim()]);
    const { host } = (await response.json()) as { host: string };
    if (this.#state.isPersonHost) location.assign(addressAt(`http://${host}.localhost:${location.port}`));
    else location.reload();
  }
}
