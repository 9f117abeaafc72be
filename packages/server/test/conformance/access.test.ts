import { pipeline } from "@easel/conformance/4.1-pipeline";
import { identity } from "@easel/conformance/4.2-identity";
import { people } from "@easel/conformance/4.2-people";
import { adjacent } from "@easel/conformance/4.11-adjacent";
import { authentication } from "@easel/conformance/5-authentication";
import { operatorDisabled } from "@easel/conformance/authoring/switches";
import { conforms } from "./conformance.ts";

const limited = [pipeline, identity, people, adjacent, authentication];
const suites = [...limited, operatorDisabled];
await conforms({ engine: "sqlite", urlMode: "path", authMode: "dev", suites, limited });
