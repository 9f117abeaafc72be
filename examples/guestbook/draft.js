const KEY = "draft";
const PAUSE = 1000;

/**
 * Restores the stored draft into `field`. From then on, stores what the viewer types as the draft, in `easel.kv.user`, and shows in `note`
 * whether that succeeded. Returns a function that stores the draft at once, or deletes it if the field is empty.
 */
export async function keepDraft(field, note, explain) {
  const draft = await easel.kv.user.get(KEY);
  let kept = typeof draft === "string" ? draft : "";
  let timer = 0;
  let saving = Promise.resolve();
  field.value = kept;
  note.textContent = kept ? " · Draft restored" : "";

  const save = async () => {
    const text = field.value;
    if (text === kept) return;
    if (text) await easel.kv.user.set(KEY, text);
    else await easel.kv.user.delete(KEY);
    kept = text;
    note.textContent = text ? " · Draft saved" : "";
  };
  const saveNow = () => {
    clearTimeout(timer);
    saving = saving.then(save).catch((error) => {
      note.textContent = ` · Draft not saved. ${explain(error)}`;
    });
  };
  field.addEventListener("input", () => {
    note.textContent = "";
    clearTimeout(timer);
    timer = setTimeout(saveNow, PAUSE);
  });
  document.addEventListener("visibilitychange", () => document.hidden && saveNow());
  return saveNow;
}
