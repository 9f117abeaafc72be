const FENCE = /^\s*```/;
const INLINE = /(`[^`\n]+`|\*\*[^*\n]+\*\*)/;

/** Splits the text of an answer into paragraphs and code blocks. A code block that is not closed yet extends to the end. */
function blocksOf(text) {
  const blocks = [];
  let block = null;
  for (const line of text.split("\n")) {
    const fence = FENCE.test(line);
    if (block?.code) {
      if (fence) block = null;
      else block.lines.push(line);
    } else if (fence || (block === null && line.trim() !== "")) {
      block = { code: fence, lines: fence ? [] : [line] };
      blocks.push(block);
    } else if (line.trim() === "") block = null;
    else block.lines.push(line);
  }
  return blocks.map(({ code, lines }) => ({ code, text: lines.join("\n") }));
}

function inline(part) {
  if (!INLINE.test(part)) return document.createTextNode(part);
  const code = part.startsWith("`");
  const node = document.createElement(code ? "code" : "strong");
  node.textContent = code ? part.slice(1, -1) : part.slice(2, -2);
  return node;
}

function paragraph({ text }) {
  const node = document.createElement("p");
  node.dir = "auto";
  node.append(...text.split(INLINE).filter(Boolean).map(inline));
  return node;
}

/** Creates a code block. Long lines scroll sideways, so the keyboard must reach it. */
function codeBlock({ text }) {
  const node = document.createElement("pre");
  node.tabIndex = 0;
  node.role = "group";
  node.ariaLabel = "Code";
  node.append(Object.assign(document.createElement("code"), { textContent: text }));
  return node;
}

const shown = new WeakMap();

/**
 * Shows the text of an answer in an element. All of it becomes text nodes, never markup. Blocks that have not changed keep their elements,
 * so that a selection in them lasts while the answer grows.
 */
export function showText(element, text) {
  const blocks = blocksOf(text);
  const sources = blocks.map((block) => JSON.stringify(block));
  const before = shown.get(element) ?? [];
  shown.set(element, sources);
  while (element.children.length > blocks.length) element.lastElementChild.remove();
  for (const [index, block] of blocks.entries()) {
    if (sources[index] === before[index]) continue;
    const node = block.code ? codeBlock(block) : paragraph(block);
    const old = element.children[index];
    if (old === undefined) element.append(node);
    else old.replaceWith(node);
  }
}
