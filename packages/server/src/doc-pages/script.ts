/**
 * The script of the documentation: a button that copies each block of code, and the key `/`, which moves the focus to the search. The pages
 * work without it.
 */
export const SCRIPT = `
for (const figure of document.querySelectorAll("figure")) {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "copy";
  button.textContent = "Copy";
  button.addEventListener("click", async () => {
    await navigator.clipboard.writeText(figure.querySelector("code").textContent + "\\n");
    button.textContent = "Copied";
    setTimeout(() => { button.textContent = "Copy"; }, 2000);
  });
  figure.append(button);
}
addEventListener("keydown", (event) => {
  if (event.key !== "/" || event.ctrlKey || event.metaKey || event.altKey || event.target.closest("input")) return;
  event.preventDefault();
  document.querySelector("nav input").focus();
});`;
