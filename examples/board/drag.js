/** Makes cards draggable to other columns, in addition to their buttons; calls `drop` with card id and column. */
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
