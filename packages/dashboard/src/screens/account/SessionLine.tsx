import "./account.css";
import type { Session } from "../../api/types.ts";
import { Badge } from "../../kit/Badge.tsx";
import { Button } from "../../kit/Button.tsx";
import { Time } from "../../kit/Time.tsx";
import { deviceOf } from "./device.ts";

/** A session in a list: the device, where it was begun, and its end. */
export function SessionLine({
  session: { current, userAgent, address, createdAt, expiresAt },
  isPending,
  onEnd,
}: {
  session: Session;
  isPending: boolean;
  onEnd: () => void;
}) {
  const device = deviceOf(userAgent);
  return (
    <li>
      <span>
        <strong>
          <bdi>{device}</bdi>
        </strong>
        <small className="soft">
          From <bdi>{address}</bdi>, signed in <Time at={createdAt} />, ends <Time at={expiresAt} />
        </small>
        {userAgent === device || userAgent === "" ? null : (
          <small className="soft user-agent">
            <bdi>{userAgent}</bdi>
          </small>
        )}
      </span>
      {current ? (
        <Badge look="good">This one</Badge>
      ) : (
        <Button isPending={isPending} onPress={onEnd} aria-label={`Sign out ${device}, ${address}`}>
          Sign out
        </Button>
      )}
    </li>
  );
}
