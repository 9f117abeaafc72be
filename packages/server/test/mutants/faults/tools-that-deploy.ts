// biome-ignore-all lint/suspicious/noTemplateCurlyInString: the texts are parts of source files.
import { type Fault, fault } from "../fault.ts";

const MCP = "packages/server/src/mcp";
const TESTS = "packages/server/test/mcp";
const DEPLOY_TEST = `${TESTS}/deploy-canvas.test.ts`;
const HOSTILE_TEST = `${TESTS}/deploy-canvas-hostile.test.ts`;
const UPLOAD_TEST = `${TESTS}/upload-command.test.ts`;
const PUBLISH_TEST = `${TESTS}/publish-version.test.ts`;
const CONFIGURE_TEST = `${TESTS}/configure-canvas.test.ts`;
const ROUTE = `${MCP}/upload/receive.ts`;
const FILES = `${MCP}/deploy/file-changes.ts`;
const EDITS = `${MCP}/deploy/edit-text.ts`;
const EDITS_TEST = `${MCP}/deploy/edit-text.test.ts`;
const COMMAND = `${MCP}/upload/shell-command.ts`;
const CONFIGURE = `${MCP}/tools/configure-canvas.ts`;
const DEPLOY = `${MCP}/tools/deploy-canvas.ts`;

/** Faults of the tools that deploy, publish and configure canvases. */
export const toolsThatDeploy: Fault[] = [
  fault(
    "tools: the scope deploy publishes to a Public link",
    `${MCP}/deploy/public-link.ts`,
    'access === "public_link" &&',
    'access !== "public_link" &&',
    DEPLOY_TEST,
    UPLOAD_TEST,
  ),
  fault(
    "tools: deploy_canvas publishes to a Public link",
    DEPLOY,
    "if (args.publish !== false)",
    "if (false)",
    DEPLOY_TEST,
  ),
  fault(
    "tools: publish_version publishes to a Public link",
    `${MCP}/tools/publish-version.ts`,
    "if (version !== undefined) requireNotPublic",
    "if (false) requireNotPublic",
    PUBLISH_TEST,
  ),
  fault(
    "tools: configure_canvas changes the policy of a Public link",
    CONFIGURE,
    '    requireNotPublic(call, meant, "change what its visitors get");',
    '    if (ofBackend) requireNotPublic(call, meant, "change what its visitors get");',
    CONFIGURE_TEST,
  ),
  fault(
    "tools: an upload goes to a canvas that was made public meanwhile",
    ROUTE,
    'requireNotPublic(call, await findMeant(call, asked.canvas), "publish");',
    "await findMeant(call, asked.canvas);",
    UPLOAD_TEST,
  ),
  fault(
    "tools: an upload command is used twice",
    ROUTE,
    'if (!(await recordAnswer(ticket, "allowed", env)))',
    'if (!(await recordAnswer(ticket, "allowed", env)) && false)',
    UPLOAD_TEST,
  ),
  fault(
    "tools: a refused upload uses up its command",
    ROUTE,
    "if (error instanceof Refusal) await withdrawAnswer(ticket, env);",
    "",
    UPLOAD_TEST,
  ),
  fault(
    "tools: an upload outlives its connected tool",
    "packages/server/src/identity/apps.ts",
    "and user_id = ${user.id} and (expires_at is null or expires_at > ${clock()})`",
    "and user_id = ${user.id} and ${clock()} > 0`",
    UPLOAD_TEST,
  ),
  fault(
    "tools: an upload is not checked again once it has been received",
    ROUTE,
    "readmit: async () => (await callOf(ticket, address, env)).caller,",
    "async readmit() {\n      return this;\n    },",
    UPLOAD_TEST,
  ),
  fault(
    "tools: an upload needs no scope any more",
    ROUTE,
    '|| !includesScope(app.scope, "deploy")',
    "",
    UPLOAD_TEST,
  ),
  fault(
    "tools: pages of other sites upload",
    ROUTE,
    "requireSameOrigin(request.headers, env.base);",
    "",
    UPLOAD_TEST,
  ),
  fault(
    "tools: an upload replaces a version that was published meanwhile",
    ROUTE,
    "expectedVersion === null ? {} : { expectedVersion }",
    "{}",
    UPLOAD_TEST,
  ),
  fault(
    "tools: an upload command never runs out",
    "packages/server/src/crypto/tickets.ts",
    "return ticket.expires > clock() ? ticket : null;",
    "return ticket;",
    UPLOAD_TEST,
  ),
  fault(
    "tools: the folder of an upload command is run by the shell",
    COMMAND,
    "text.replaceAll(\"'\", \"'\\\\''\")",
    "text",
    UPLOAD_TEST,
  ),
  fault(
    "tools: an upload command sends dot files",
    COMMAND,
    "find . -name '.?*' ! -name .well-known -prune -o",
    "find .",
    UPLOAD_TEST,
  ),
  fault(
    "tools: an upload command sends what links lead to",
    COMMAND,
    "-type f -print",
    "! -type d -print",
    UPLOAD_TEST,
  ),
  fault(
    "tools: a canvas that a program makes is not recorded",
    `${MCP}/deploy/make-canvas.ts`,
    "await recordMade(app, caller.user.id, canvas.id, env);",
    "",
    DEPLOY_TEST,
  ),
  fault(
    "tools: a canvas stays that could not be recorded",
    `${MCP}/deploy/make-canvas.ts`,
    "  } catch (error) {\n    await discardCanvas(call, canvas.id);\n    throw error;\n  }\n  return canvas;",
    "  } catch (error) {\n    throw error;\n  }\n  return canvas;",
    DEPLOY_TEST,
  ),
  fault(
    "tools: a canvas stays whose first deploy failed",
    DEPLOY,
    "await discardCanvas(call, canvas.id);",
    "",
    DEPLOY_TEST,
  ),
  fault(
    "tools: a faulty easel.json creates a canvas",
    `${MCP}/deploy/apply-easel-json.ts`,
    "if (faults.length > 0)",
    "if (false)",
    DEPLOY_TEST,
  ),
  fault(
    "tools: a deploy loses a change that was made meanwhile",
    DEPLOY,
    "args.expected_version ?? canvas?.versionId ?? null",
    "args.expected_version",
    DEPLOY_TEST,
  ),
  fault(
    "tools: an edit of two places changes the first",
    EDITS,
    "if (count > 1 && !all)",
    "if (false)",
    EDITS_TEST,
    DEPLOY_TEST,
  ),
  fault(
    "tools: an edit grows a file without a limit",
    EDITS,
    "> MAX_EDITED_LENGTH)",
    "> Number.MAX_SAFE_INTEGER)",
    EDITS_TEST,
    HOSTILE_TEST,
  ),
  fault(
    "tools: the changed files grow together without a limit",
    FILES,
    "if (left < 0)",
    "if (false)",
    HOSTILE_TEST,
  ),
  fault(
    "tools: base64 is decoded as far as it goes",
    FILES,
    "if (base64.length % 4 !== 0 ||",
    "if (false && base64.length % 4 !== 0 ||",
    HOSTILE_TEST,
  ),
  fault(
    "tools: of two changes of a file the last counts",
    FILES,
    "if (seen.has(path))",
    "if (false)",
    HOSTILE_TEST,
  ),
  fault(
    "tools: configure_canvas sets who may spend money",
    CONFIGURE,
    "if (audience !== undefined)",
    "if (false)",
    CONFIGURE_TEST,
  ),
  fault(
    "tools: configure_canvas sets any field of the capabilities",
    CONFIGURE,
    "if (other !== undefined)",
    "if (false)",
    CONFIGURE_TEST,
  ),
  fault(
    "tools: the scope deploy archives",
    CONFIGURE,
    'withMore(call, "full", more)',
    'withOtherScope(call, "full")',
    CONFIGURE_TEST,
  ),
  fault(
    "tools: a policy is replaced unseen",
    CONFIGURE,
    "expectedRuntimePolicy: expected ?? null,",
    "expectedRuntimePolicy: expected ?? revision,",
    CONFIGURE_TEST,
  ),
  fault(
    "tools: a policy is merged with another one than expected",
    CONFIGURE,
    "if (expected !== undefined && expected !== revision)",
    "if (false)",
    CONFIGURE_TEST,
  ),
  fault(
    "tools: more than the scope is done",
    `${MCP}/tool-call.ts`,
    "if (!includesScope(call.app.scope, scope))",
    "if (false)",
    PUBLISH_TEST,
    CONFIGURE_TEST,
  ),
  fault(
    "tools: warnings about files are words of the service",
    `${MCP}/deploy/deploy-words.ts`,
    "bounded(ofFiles.map(",
    "String(ofFiles.map(",
    "packages/server/test/mcp/injection.test.ts",
  ),
];
