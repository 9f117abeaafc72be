import assert from "node:assert/strict";
import { suite, test } from "node:test";
import { readConfig } from "../../config/config.ts";
import { isVouched } from "./vouched-redirect.ts";

const config = readConfig({
  SERVICE_OAUTH_CLIENTS: JSON.stringify(["tools.acme.test", "acme://oauth/callback"]),
});

const VOUCHED = [
  "http://127.0.0.1:51234/callback",
  "http://localhost/callback",
  "http://[::1]:8000/cb",
  "com.example.app:/oauth",
  "com.example.app://callback?from=easel",
  "com.googleusercontent.apps.1234-abc:/oauth2redirect",
  "com.raycast:/oauth",
  "xn--p1ai.xn--e1aybc:/cb",
  "cursor://anysphere.cursor-mcp/oauth/callback",
  "claude://claude.ai/mcp-auth-callback/sdk",
  "warp://mcp/oauth2callback",
  "mcpjam://oauth/callback",
  "vscode://saoudrizwan.claude-dev/mcp-auth/callback/1a2B3c",
  "vscode-insiders://saoudrizwan.claude-dev/mcp-auth/callback/1a2B3c",
  "acme://oauth/callback",
  "https://claude.ai/api/mcp/auth_callback",
  "https://tools.acme.test/cb",
];

const STRANGE: Record<string, string[]> = {
  "browsers and what opens an address in one": [
    "x-safari-https://evil.example/cb",
    "x-safari-http://evil.example/cb",
    "googlechrome://evil.example/cb",
    "googlechromes://evil.example/cb",
    "microsoft-edge:/https:/evil.example/cb",
    "microsoft-edge-https://evil.example/cb",
    "firefox://open-url?url=https://evil.example",
    "firefox-focus://open-url?url=https://evil.example",
    "brave://open-url?url=https://evil.example",
    "opera-http://evil.example/cb",
    "touch-https://evil.example/cb",
    "ddgquicklink://evil.example/cb",
    "chrome://settings",
    "chrome-extension://abc/cb",
    "edge://settings",
    "moz-extension://abc/cb",
    "intent://evil.example/cb",
    "intent:/evil.example/cb",
    "steam://openurl/https://evil.example",
    "market://details?id=evil",
    "web+evil://evil.example/cb",
  ],
  "applications that send or run what a link says": [
    "tg://msg_url?url=https://evil.example",
    "whatsapp://send?text=hello",
    "slack://open?team=1",
    "zoommtg://zoom.us/join",
    "msteams://l/meetup",
    "facetime://ada@acme.test",
    "skype://ada",
    "spotify://track/1",
    "itms-services://?action=download-manifest",
    "ms-msdt:/id",
    "ms-settings:/a",
    "search-ms:/query",
    "shell:/startup",
    "x-apple.systempreferences:/com.apple.preference.security",
    "x-apple-helpbasic://a/b",
    "ssh://evil.example/",
    "git://evil.example/a",
    "smb://evil.example/share",
    "ldap://evil.example/",
    "jetbrains://idea/checkout",
  ],
  "other addresses of known applications": [
    "cursor://a/b",
    "cursor://anysphere.cursor-deeplink/mcp/install?name=a&config=b",
    "cursor://anysphere.cursor-mcp/oauth/callback/",
    "cursor://anysphere.cursor-mcp/oauth/callback?from=easel",
    "cursor://anysphere.cursor-mcp:80/oauth/callback",
    "vscode://anysphere.cursor-mcp/oauth/callback",
    "vscode://vscode.git/clone?url=https://evil.example",
    "vscode://evil.extension/mcp-auth/callback/1a2B3c",
    "vscode://saoudrizwan.claude-dev/mcp-auth/callback/",
    "vscode://saoudrizwan.claude-dev/mcp-auth/callback/1/2",
    "claude://claude.ai/new?q=delete+everything",
    "warp://action/new_tab",
    "acme://oauth/callback/",
    "acme://oauth/other",
  ],
  "web servers": ["https://evil.example/cb", "https://claude.ai/cb", "https://a.tools.acme.test/cb"],
  "names that are no domains": ["a.b:/cb", ".com:/cb", "com.:/cb", "com..a:/cb", "com.-a:/cb", "1a.b:/cb"],
  "what no program may have": ["javascript://x.test/%0aalert(1)", "file:///etc/passwd", "com.example.app:cb"],
};

suite("redirect URIs for which somebody vouches", () => {
  for (const uri of VOUCHED) test(uri, () => assert.equal(isVouched(uri, { config }), true));
  for (const [what, uris] of Object.entries(STRANGE))
    test(`not ${what}`, () => {
      for (const uri of uris) assert.equal(isVouched(uri, { config }), false, uri);
    });
});
