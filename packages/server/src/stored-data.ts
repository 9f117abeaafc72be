import { callLogData } from "./canvases/call-log-store.ts";
import type { CanvasData } from "./canvases/canvas-data.ts";
import { coreData } from "./canvases/core-data.ts";
import { appData } from "./identity/apps.ts";
import { inviteData } from "./identity/guests.ts";
import { identityData } from "./identity/identities.ts";
import { lastSeenData } from "./identity/last-seen-store.ts";
import { addressData } from "./identity/person-addresses.ts";
import { previewData } from "./identity/previews.ts";
import { sessionData } from "./identity/session.ts";
import { tokenData } from "./identity/tokens.ts";
import { userData } from "./identity/users.ts";
import { instanceData } from "./instance/instance-id.ts";
import { lastBackupData } from "./instance/last-backup.ts";
import { leaseData } from "./instance/lease.ts";
import { sweepGuardData } from "./instance/sweep-guard.ts";
import { outboxData } from "./mail/mail-queue.ts";
import { mailSwitchData } from "./mail/mail-switches.ts";
import { appCodeData } from "./oauth/apps/app-codes.ts";
import { oauthData } from "./oauth/oauth-codes.ts";
import { auditData } from "./organisation/audit.ts";
import { settingData } from "./organisation/instance-settings.ts";
import { orgData } from "./organisation/orgs.ts";
import { quotaData } from "./organisation/quotas.ts";
import { teamData } from "./organisation/teams.ts";
import { pageViewData } from "./organisation/view-counts.ts";
import { primitives } from "./primitives/index.ts";
import type { Primitive } from "./primitives/primitive.ts";
import { handOverData } from "./sign-in/hand-over.ts";

/**
 * Returns what each part of the service stores and removes by itself: tables, quotas, blobs and clean-ups. A purge deletes rows, and the
 * sweep cleans up, in the order of this list.
 */
export const storedData = (served: readonly Primitive[] = primitives): readonly CanvasData[] => [
  ...served.flatMap(({ data }) => data ?? []),
  callLogData,
  pageViewData,
  sessionData,
  previewData,
  inviteData,
  tokenData,
  appData,
  oauthData,
  appCodeData,
  handOverData,
  identityData,
  addressData,
  userData,
  lastSeenData,
  teamData,
  orgData,
  quotaData,
  settingData,
  auditData,
  outboxData,
  mailSwitchData,
  instanceData,
  sweepGuardData,
  lastBackupData,
  leaseData,
  coreData,
];
