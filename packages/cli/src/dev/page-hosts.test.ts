import assert from "node:assert/strict";
import { test } from "node:test";
import { cookieForBrowser, cookiesForService } from "./page-hosts.ts";

test("cookies of the service have the port in their names", () => {
  assert.equal(cookieForBrowser("easel_session=a=b; Path=/", 4321), "easel_session_4321=a=b; Path=/");
  const cookies = "easel_session=1; easel_session_4321=a=b; own=2; easel_session_43210=3; x_4321=4";
  assert.equal(cookiesForService(cookies, 4321), "easel_session=a=b; x=4");
  assert.equal(cookiesForService(undefined, 4321), "");
});
