import type { Context } from "../context.ts";
import { fail } from "../exit.ts";
import { count } from "../terminal/format.ts";
import { checkComputer } from "./check-computer.ts";
import { checkFolder } from "./check-folder.ts";
import { checkService } from "./check-service.ts";
import type { Finding } from "./finding.ts";

const MARKS = { ok: ["green", "ok"], warning: ["yellow", "warning"], fault: ["red", "fault"] } as const;

/** Checks this computer, the service and the working directory, and prints a line for each check. Throws a `Failure` if there is a fault. */
export async function doctor({ url }: { url?: string }, context: Context): Promise<void> {
  const { terminal } = context;
  const findings: Finding[] = [
    ...(await checkComputer(context)),
    ...(await checkService(url, context)),
    ...(await checkFolder(context)),
  ];
  terminal.result(findings, () =>
    findings
      .map(({ check, status, message, advice }) => {
        const [color, mark] = MARKS[status];
        const hint = advice === undefined ? "" : `${" ".repeat(21)}→ ${advice}\n`;
        return `${terminal.style(color, mark.padEnd(8))} ${check.padEnd(11)} ${message}\n${hint}`;
      })
      .join(""),
  );
  const faults = findings.filter(({ status }) => status === "fault").length;
  if (faults > 0) fail(`${count(faults, "fault")} found.`);
}
