import { entriesOf, faultOf, settingsOf } from "./entries.js";
import { explain, fieldOf } from "./messages.js";
import { bundleOf, fileOf, htmlOf } from "./page.js";
import { choiceOf, dayOf, pageOf, timeOf } from "./records.js";

/** The time in ms after which the preview shows what was typed. */
const PREVIEW_MS = 150;

/** Offers a page to the person as a file that any browser opens. */
function save(page) {
  const link = document.createElement("a");
  link.href = URL.createObjectURL(new Blob([fileOf(page)], { type: "text/html" }));
  link.download = `${page.title}.html`;
  link.click();
  URL.revokeObjectURL(link.href);
}

const GONE = "This page was deleted meanwhile. Publish again to make a new page of your text.";

const element = (id) => document.getElementById(id);

/**
 * Sets up the form. Calls `done(canvas, isNew)` after publishing, `failed(error)` if publishing fails, `left(canvas)` if the person cancels
 * the editing of a canvas, and `say(text)` to announce a text.
 */
export function letWrite({ say, done, failed, left }) {
  const form = element("form");
  const { elements: field } = form;
  const problem = element("problem");
  /** The canvas that is edited, as it was when the editing began; null for a new page. */
  let base = null;
  let timer = 0;

  function preview() {
    const page = entriesOf(field);
    element("preview").srcdoc = htmlOf({ ...page, title: page.title || "Untitled" });
  }

  function fill(page, access) {
    field.title.value = page.title;
    field.text.value = page.text;
    field.template.value = page.template;
    field.access.value = access;
    field.password.value = "";
    field.slug.value = "";
    draw();
    preview();
  }

  /** Updates the headings, buttons and fields of the form: for a new page if `base` is null, otherwise for editing the canvas `base`. */
  function draw() {
    const keeps = base?.expiresAt != null && base.publicationStatus !== "expired";
    const keep = field.expiry.querySelector("[value=keep]");
    keep.hidden = keep.disabled = !keeps;
    keep.textContent = keeps ? `Until ${dayOf(base.expiresAt)}, as now` : "As now";
    field.expiry.value = keeps ? "keep" : "";
    element("form-title").textContent = base === null ? "A new page" : `Edit “${base.title}”`;
    element("publish").textContent = base === null ? "Publish" : "Publish changes";
    element("cancel").hidden = base === null;
    element("slug-field").hidden = base !== null;
    element("conflict").hidden = true;
    problem.textContent = "";
    drawPassword();
  }

  function drawPassword() {
    const locked = field.access.value === "password";
    const has = base?.hasPassword === true;
    element("password-field").hidden = !locked;
    element("password-hint").textContent = has
      ? "Leave it empty to keep the one it has."
      : "Readers enter it once.";
  }

  function tell(text, name) {
    problem.textContent = text;
    const target = name === "access" ? form.querySelector("[name=access]:checked") : field[name];
    target?.focus();
  }

  function clash(current) {
    element("conflict").hidden = false;
    element("conflict-text").textContent =
      `“${current.title}” was changed on ${timeOf(current.updatedAt)}, after you began to edit it. Nothing of yours is lost, and nothing was published.`;
    element("theirs").textContent = pageOf(current).text;
    element("mine").onclick = () => {
      base = current;
      element("conflict").hidden = true;
      publish();
    };
    element("other").onclick = () => {
      edit(current);
      say("The form holds the other text now.");
    };
    element("mine").focus();
  }

  function refused(error) {
    if (error.code === "SHARE_CONFLICT" && error.current) return clash(error.current);
    const isGone = error.reason === "NOT_FOUND" && base !== null;
    tell(isGone ? GONE : explain(error), fieldOf(error));
    failed(error);
  }

  async function publish() {
    if (form.ariaBusy === "true") return;
    problem.textContent = "";
    element("conflict").hidden = true;
    const page = entriesOf(field);
    const [name, text] = faultOf(page, base) ?? [];
    if (text !== undefined) return tell(text, name);
    form.ariaBusy = "true";
    element("publish").textContent = "Publishing…";
    const isNew = base === null;
    try {
      const given = { ...settingsOf(page, base), bundle: bundleOf(page) };
      const canvas = await (isNew ? easel.canvases.publish(given) : easel.canvases.update(base.id, given));
      begin();
      done(canvas, isNew);
    } catch (error) {
      element("publish").textContent = isNew ? "Publish" : "Publish changes";
      refused(error);
    } finally {
      form.ariaBusy = "false";
    }
  }

  /** Clears the form for a new page. Only the chosen template is kept. */
  function begin() {
    base = null;
    fill({ title: "", text: "", template: field.template.value }, "private");
  }

  function edit(canvas) {
    base = canvas;
    fill(pageOf(canvas), choiceOf(canvas));
    element("form-title").focus();
    element("form-title").scrollIntoView({ block: "nearest" });
  }

  form.addEventListener("submit", (event) => {
    event.preventDefault();
    if (element("publish").ariaDisabled !== "true") publish();
  });
  form.addEventListener("input", () => {
    clearTimeout(timer);
    timer = setTimeout(preview, PREVIEW_MS);
    problem.textContent = "";
    drawPassword();
  });
  element("save").addEventListener("click", () => {
    // A file has no readers who need a password.
    const page = { ...entriesOf(field), access: "private" };
    const [name, text] = faultOf(page, base) ?? [];
    if (text !== undefined) return tell(text, name);
    save(page);
    say("The page is saved as a file.");
  });
  element("cancel").addEventListener("click", () => {
    const canvas = base;
    begin();
    left(canvas);
  });
  begin();

  return {
    edit,
    /** Returns the id of the canvas that is edited, if any. */
    edited: () => base?.id,
    /**
     * Replaces `base`, the canvas that the form edits, without changing what the person has entered. Null turns the form into one for a new
     * page.
     */
    rebase(canvas) {
      const message = problem.textContent;
      const { value } = field.expiry;
      base = canvas;
      draw();
      if (value !== "keep") field.expiry.value = value;
      problem.textContent = message;
    },
    /** Clears the form for a new page. Only the chosen template is kept. */
    begin,
    /** Enables or disables the button “Publish”. */
    allow(isAllowed) {
      element("publish").ariaDisabled = String(!isAllowed);
    },
  };
}
