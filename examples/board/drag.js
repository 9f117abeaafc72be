/** Lets a person drag cards to other columns. Calls `drop` with the id of the card and the name of the column. */
export function letDrag(columns, drop) {
  let dragged = null;
  const columnAt = ({ target }) => target.closest?.(".column") ?? null;
  const mark = (column) => {
    for (const each of columns.children) each.classList.toggle("over", each === column);
  };

  columns.addEventListener("dragstart", (event) => {
    dragged = event.target.dataset?.id ?? null;
    if (dragged !== null) event.dataTransfer.effectAllowed = "move";
  });
  columns.addEventListener("dragover", (event) => {
    const column = dragged === null ? null : columnAt(event);
    mark(column);
    if (column !== null) event.preventDefault();
  });
  columns.addEventListener("drop", (event) => {
    const column = columnAt(event);
    if (dragged === null || column === null) return;
    event.preventDefault();
    drop(dragged, column.dataset.column);
  });
  columns.addEventListener("dragend", () => {
    dragged = null;
    mark(null);
  });
}
