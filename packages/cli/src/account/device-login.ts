import { type Configuration, initiateDeviceAuthorization, pollDeviceAuthorizationGrant } from "openid-client";
import type { Context } from "../context.ts";
import { clean } from "../terminal/clean.ts";
import type { AskedAccess, TokenResponse } from "./token-response.ts";
import { untilAborted } from "./until-aborted.ts";

/** Signs in without a browser on this computer: the person enters a code in a browser on any device (RFC 8628). */
export async function signInByCode(
  config: Configuration,
  asked: AskedAccess,
  { terminal, signal }: Context,
): Promise<TokenResponse> {
  const device = await initiateDeviceAuthorization(config, asked);
  const { verification_uri: address, user_code: code } = device;
  terminal.say(
    `Open this address in a browser, on any computer:\n\n  ${clean(address)}\n\nand enter the code ${terminal.style("bold", clean(code), "stderr")}\n`,
  );
  const stop = await terminal.wait("Waiting for the code");
  try {
    // The library looks at the signal only between two waits of up to 5 s.
    return await untilAborted(pollDeviceAuthorizationGrant(config, device, undefined, { signal }), signal);
  } finally {
    stop();
  }
}
