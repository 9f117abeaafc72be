/** Maps errors of PostgreSQL, by their SQLSTATE, to what the operator can do. */
export const DATABASE_ADVICE: Readonly<Record<string, string>> = {
  "3D000":
    "create it, empty, for the user in SERVICE_DATABASE_URL, such as by `createdb --owner=easel easel`; the service makes its tables",
  "28P01": "set the right user and password in SERVICE_DATABASE_URL",
  "28000": "allow the user and this machine in pg_hba.conf of the server, or change SERVICE_DATABASE_URL",
  "42501":
    "make the user in SERVICE_DATABASE_URL the owner of the database: `alter database easel owner to easel`",
};
