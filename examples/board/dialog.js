import { cards, contentOf, discard } from "./cards.js";
import { draw, elementOf, headingOf, may } from "./view.js";

export const GONE = "Somebody has removed this card meanwhile.";

const element = (id) => document.getElementById(id);

/**
 * Sets up the dialog in which a card is edited or removed. `write` runs a function that changes the board, and `say` announces a text.
 * Returns a function that opens the dialog for a card.
 */
export function letEdit(state, { write, say }) {
  /**
   * What the open dialog is about: `record`, the card, and `from`, the text that the card had before the edit. Null while the dialog is
   * closed.
   */
  let shown = null;

  /**
   * Says where an error about a card is shown: returns a function that returns the id of an element. The id is `trouble`, an element in the
   * dialog, while the dialog shows this card. Otherwise it is `message`, an element of the page.
   */
  const placeFor = (about) => () => (shown === about ? "trouble" : "message");

  /**
   * Saves the text of the card. If somebody else has changed the card meanwhile, shows a message instead, and the next save overwrites that
   * change.
   */
  async function save() {
    const form = element("editing");
    const text = element("edited").value.trim();
    const about = shown;
    if (form.ariaBusy === "true") return;
    if (text === "") {
      element("trouble").textContent = "A card needs a few words.";
      return;
    }
    form.ariaBusy = "true";
    let record = null;
    let meanwhile = "";
    const saved = await write(async () => {
      const now = await cards().get(about.record.id);
      const words = now && contentOf(now).text;
      if (words !== about.from) {
        about.from = words;
        meanwhile = now
          ? `Somebody has changed this card meanwhile. It says: “${words}”. Save again to put your words in its place.`
          : `${GONE} Save again to add it anew.`;
        return undefined;
      }
      record = await (now
        ? cards().update(now.id, { ...contentOf(now), text })
        : cards().create({ ...contentOf(about.record), text }));
      state.board.set(record.id, record);
      return record;
    }, placeFor(about));
    if (shown === about) form.ariaBusy = "false";
    if (meanwhile !== "") element(placeFor(about)()).textContent = meanwhile;
    if (!saved || meanwhile !== "") return;
    draw(state);
    leave(about, record);
    say("Card saved.");
  }

  /** Removes the card, and shows the button “Undo” where the card was. */
  async function remove() {
    const about = shown;
    const { record } = about;
    if (!(await write(() => discard(record), placeFor(about)))) return;
    state.gone = state.board.get(record.id) ?? record;
    state.board.delete(record.id);
    draw(state);
    leave(about, record);
    say("Card removed.");
  }

  /**
   * Closes the dialog and focuses the card `record`. `about` is the value of `shown` before the card was saved or removed. Does nothing if
   * the dialog has been closed or opened for another card since then.
   */
  function leave(about, record) {
    if (shown !== about) return;
    element("editor").close();
    elementOf(record).querySelector(".edit, .gone button").focus();
  }

  element("editing").addEventListener("submit", (event) => {
    event.preventDefault();
    save();
  });
  element("remove").addEventListener("click", remove);
  element("cancel").addEventListener("click", () => element("editor").close());
  // The browser restores the focus when the dialog closes. If the focused card has been removed, the heading of its column gets the focus.
  element("editor").addEventListener("close", () => {
    const { column } = contentOf(shown.record);
    if (document.activeElement.closest(".column") === null) headingOf(column).focus({ preventScroll: true });
    shown = null;
  });

  return (record) => {
    const from = contentOf(record).text;
    shown = { record, from };
    element("edited").value = from;
    element("trouble").textContent = "";
    element("editing").ariaBusy = "false";
    element("edited").readOnly = !may(state.rights.update, record, state.me);
    element("remove").hidden = !may(state.rights.delete, record, state.me);
    element("editor").showModal();
  };
}
