/**
 * Calls `take` with an array of the pictures that a person chooses, drags onto the page or pastes. Ignores drags and pastes while
 * `isOpen()` is false.
 */
export function letPick(element, take, isOpen) {
  const curtain = element("curtain");
  /**
   * Whether the current drag began on this page. Such a drag is ignored, because browsers report a dragged picture of the page as a file.
   */
  let own = false;
  const holdsFiles = ({ dataTransfer }) => isOpen() && !own && dataTransfer?.types.includes("Files");
  const given = (files) => {
    if (files.length > 0) take([...files]);
  };

  element("add").addEventListener("click", () => element("files").click());
  element("files").addEventListener("change", ({ target }) => {
    given(target.files);
    // Clears the choice, so that the same file can be chosen again.
    target.value = "";
  });

  document.addEventListener("dragstart", () => {
    own = true;
  });
  document.addEventListener("dragend", () => {
    own = false;
  });
  document.addEventListener("dragover", (event) => {
    if (!holdsFiles(event)) return;
    event.preventDefault();
    const chosen = element("where").querySelector(":checked + span").textContent.toLowerCase();
    curtain.firstElementChild.textContent = `Drop the pictures: ${chosen}`;
    curtain.classList.add("drawn");
  });
  document.addEventListener("dragleave", ({ relatedTarget }) => {
    if (relatedTarget === null) curtain.classList.remove("drawn");
  });
  document.addEventListener("drop", (event) => {
    curtain.classList.remove("drawn");
    if (!holdsFiles(event)) return;
    event.preventDefault();
    given(event.dataTransfer.files);
  });

  document.addEventListener("paste", ({ clipboardData }) => {
    if (isOpen()) given(clipboardData?.files ?? []);
  });
}
