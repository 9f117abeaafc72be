import type { Submission } from "@easel/sdk";
import { Button } from "../../../kit/Button.tsx";
import { JsonEditor } from "../../../kit/json-editor/JsonEditor.tsx";
import { Time } from "../../../kit/Time.tsx";

/** What one person has submitted. */
export const SubmissionDetails = ({
  submission: { value, updatedAt },
  onDelete,
}: {
  submission: Submission;
  onDelete: () => void;
}) => (
  <div className="panel-form">
    <p className="small soft">
      Changed <Time at={updatedAt} />. Only the person can change it.
    </p>
    <JsonEditor label="Answer" value={JSON.stringify(value, null, 2)} />
    <div className="panel-acts">
      <Button look="danger" onPress={onDelete}>
        Delete
      </Button>
    </div>
  </div>
);
