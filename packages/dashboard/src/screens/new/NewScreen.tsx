import { Screen } from "../../kit/Screen.tsx";
import { Publisher } from "./Publisher.tsx";

/** Makes a canvas from a folder, a zip, a page or an example. */
export const NewScreen = () => (
  <Screen title="New canvas">
    <Publisher canvas={null} />
  </Screen>
);
