// The owner of the embedded database. A superuser may run programs and read files of the machine; statements for API callers
// must not run with those rights. So the superuser of a new cluster passes the database and its password to an ordinary role,
// and loses its login. This runs in PostgreSQL's single-user mode, without a login.

/** The role that the server uses; dumps name it as the owner of their objects. */
export const ownerRole = 'postgres'

/** The superuser that `initdb` makes. */
export const superuserRole = 'trellis_superuser'

/** Its oid, the same in every cluster. */
const superuser = '10::oid'

/**
 * The owner of a database may comment on `plpgsql`, as restoring a dump does. No command changes the owner of an extension, and
 * dependencies on a role other than this superuser have to be recorded.
 */
const givePlpgsql = `
with given as (
  update pg_extension set extowner = '${ownerRole}'::regrole where extname = 'plpgsql' returning oid, extowner
)
insert into pg_shdepend
  select (select oid from pg_database where datname = current_database()), 'pg_extension'::regclass, oid, 0,
    'pg_authid'::regclass, extowner, 'o'
  from given`

/** Statements for the served database. */
export const ownerStatements: readonly string[] = [
  // It may receive changes by logical decoding.
  `create role ${ownerRole} login createdb createrole replication`,
  `update pg_authid set rolpassword = (select rolpassword from pg_authid where oid = ${superuser}) where rolname = '${ownerRole}'`,
  `alter role ${superuserRole} nologin password null`,
  // It may act as the roles that it makes, and switch triggers off to load data.
  `alter role ${ownerRole} set createrole_self_grant = 'set, inherit'`,
  `grant set on parameter session_replication_role to ${ownerRole}`,
  `alter database postgres owner to ${ownerRole}`,
  givePlpgsql,
]

/** Statements for the database that new databases are copies of. */
export const templateStatements: readonly string[] = [givePlpgsql]
