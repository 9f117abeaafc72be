import type { RuntimePolicy } from "./policy.ts";

const SECTIONS = ["collections", "fileGroups", "channels", "connections"] as const;

/**
 * Returns a TypeScript declaration file that names the resources of a canvas, so that an editor completes them in calls of the SDK. `policy`
 * is the `policy` of its `easel.json`. The records of a collection have the type `Json`, because a policy says nothing about their values.
 */
export function canvasDeclarations(policy: Partial<Pick<RuntimePolicy, (typeof SECTIONS)[number]>>): string {
  const parts = SECTIONS.map((section) => {
    const names = Object.keys(policy[section] ?? {}).sort();
    const type = section === "collections" ? "Json" : "unknown";
    const members = names.map((name) => `      ${JSON.stringify(name)}: ${type};\n`);
    return names.length === 0 ? "" : `    ${section}: {\n${members.join("")}    };\n`;
  });
  return `import type { Json } from "@easel/sdk";\n\ndeclare module "@easel/sdk" {\n  interface CanvasTypes {\n${parts.join("")}  }\n}\n`;
}
