import { Button } from "../../kit/Button.tsx";
import { Copy } from "../../kit/Copy.tsx";
import { Time } from "../../kit/Time.tsx";

/** The link of an invitation, which the service tells only once. */
export interface GuestLink {
  email: string;
  url: string;
  linkExpiresAt: number;
  /** Whether the service sends it to the guest. */
  mailed: boolean;
}

/** A link for a guest that was just made: what to do with it, and until when it is valid. */
export const LinkMade = ({
  link: { email, url, linkExpiresAt, mailed },
  onClose,
}: {
  link: GuestLink;
  onClose: () => void;
}) => (
  <>
    <div className="dialog-text" role="status">
      <p>
        {mailed ? (
          <>
            An e-mail with this link is on its way to <bdi>{email}</bdi>.
          </>
        ) : (
          <>
            Send this link to <bdi>{email}</bdi>.
          </>
        )}{" "}
        It is shown only now.
      </p>
      <p>
        Everyone who has it gets in until <Time at={linkExpiresAt} as="day" />. A guest who has entered stays
        until you revoke the invitation.
      </p>
    </div>
    <code className="secret-link">{url}</code>
    <div className="dialog-acts">
      <Copy text={url} what="link" label="Copy the link" look="primary" />
      <Button onPress={onClose}>Done</Button>
    </div>
  </>
);
