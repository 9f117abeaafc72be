import type { Json } from "@easel/protocol/types";
import { MAX_COUNT } from "./list-response.ts";

const CORE = "urn:ietf:params:scim:schemas:core:2.0";
const NO = { supported: false };

/** What the service can do (RFC 7643, section 5). */
const provider = (origin: string): Json => ({
  schemas: [`${CORE}:ServiceProviderConfig`],
  documentationUri: `${origin}/docs/people`,
  patch: { supported: true },
  bulk: { supported: false, maxOperations: 0, maxPayloadSize: 0 },
  filter: { supported: true, maxResults: MAX_COUNT },
  changePassword: NO,
  sort: NO,
  etag: NO,
  authenticationSchemes: [
    {
      type: "oauthbearertoken",
      name: "Bearer token",
      description: "The token of SERVICE_SCIM_TOKEN.",
      primary: true,
    },
  ],
  meta: { resourceType: "ServiceProviderConfig", location: `${origin}/scim/v2/ServiceProviderConfig` },
});

const resourceType = (origin: string, name: "User" | "Group"): Json => ({
  schemas: [`${CORE}:ResourceType`],
  id: name,
  name,
  endpoint: `/${name}s`,
  schema: `${CORE}:${name}`,
  meta: { resourceType: "ResourceType", location: `${origin}/scim/v2/ResourceTypes/${name}` },
});

/** Describes an attribute (RFC 7643, section 7). */
const attribute = (name: string, more: Record<string, Json> = {}): Json => ({
  name,
  type: "string",
  multiValued: false,
  required: false,
  caseExact: false,
  mutability: "readWrite",
  returned: "default",
  uniqueness: "none",
  ...more,
});

const schema = (origin: string, name: "User" | "Group", attributes: Json[]): Json => ({
  schemas: [`${CORE}:Schema`],
  id: `${CORE}:${name}`,
  name,
  attributes,
  meta: { resourceType: "Schema", location: `${origin}/scim/v2/Schemas/${CORE}:${name}` },
});

const userSchema = (origin: string): Json =>
  schema(origin, "User", [
    attribute("userName", { required: true, uniqueness: "server" }),
    attribute("displayName"),
    attribute("name", { type: "complex", subAttributes: [attribute("formatted")] }),
    attribute("emails", {
      type: "complex",
      multiValued: true,
      subAttributes: [attribute("value"), attribute("type"), attribute("primary", { type: "boolean" })],
    }),
    attribute("active", { type: "boolean" }),
    attribute("externalId", { caseExact: true }),
  ]);

const groupSchema = (origin: string): Json =>
  schema(origin, "Group", [
    attribute("displayName", { required: true }),
    attribute("externalId", { caseExact: true }),
    attribute("members", {
      type: "complex",
      multiValued: true,
      subAttributes: [
        attribute("value", { caseExact: true }),
        attribute("display", { mutability: "readOnly" }),
      ],
    }),
  ]);

/** The documents by which a provider learns what the service can do, by their paths below `/scim/v2`. A list stands for its resources. */
export const discovery = (origin: string): Record<string, Json | Json[]> => ({
  "/ServiceProviderConfig": provider(origin),
  "/ResourceTypes": [resourceType(origin, "User"), resourceType(origin, "Group")],
  "/ResourceTypes/User": resourceType(origin, "User"),
  "/ResourceTypes/Group": resourceType(origin, "Group"),
  "/Schemas": [userSchema(origin), groupSchema(origin)],
  [`/Schemas/${CORE}:User`]: userSchema(origin),
  [`/Schemas/${CORE}:Group`]: groupSchema(origin),
});
