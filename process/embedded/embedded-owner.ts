// The owner of the embedded database. `initdb` makes one role, a superuser, that may run programs and read files of the
// machine; statements for API callers must not run with those rights. So the superuser passes its name, its password and
// all objects that are not PostgreSQL's own to an ordinary role, and loses its login.
//
// This runs in PostgreSQL's single-user mode, without a login and without other sessions: on a new cluster, and once on a
// cluster that an earlier release served as the superuser. Each statement can be repeated, so a kill in between is harmless.

/** The role that the server uses; dumps name it as the owner of their objects. */
export const ownerRole = 'postgres'

/** The name that the bootstrap superuser gets. */
const superuserRole = 'trellis_superuser'

/** Its oid, the same in every cluster. */
const superuser = '10::oid'

/** The first oid of objects that are not PostgreSQL's own (FirstNormalObjectId). */
const firstMade = '16384'

/** Runs first: names in the following statements are PostgreSQL's own, whatever else the database contains. */
const plainNames = `set search_path = pg_catalog, pg_temp`

/** A session cannot rename its own role, so a temporary role does it, and is dropped in the same transaction. */
const makeOwner = `
do $$
begin
  if (select rolname from pg_authid where oid = ${superuser}) = '${ownerRole}' then
    create role trellis_renaming superuser;
    set local session authorization trellis_renaming;
    alter role ${ownerRole} rename to ${superuserRole};
    set local session authorization ${superuserRole};
    drop role trellis_renaming;
    create role ${ownerRole} login createdb createrole;
    update pg_authid set rolpassword = (select rolpassword from pg_authid where oid = ${superuser})
      where rolname = '${ownerRole}';
    alter role ${superuserRole} nologin password null;
    update pg_db_role_setting set setrole = '${ownerRole}'::regrole where setrole = ${superuser};
    -- It may act as the roles that it makes, as it could when it was a superuser, and switch triggers off to load data.
    alter role ${ownerRole} set createrole_self_grant = 'set, inherit';
    grant set on parameter session_replication_role to ${ownerRole};
  end if;
end $$`

/** Roles whose members reach programs and files of the machine. */
const powerful = `oid = any ('{pg_execute_server_program,pg_read_server_files,pg_write_server_files}'::regrole[]) or rolsuper`

/** Objects of the cluster rather than of one database. */
const giveShared = `
do $$
declare
  owner oid := '${ownerRole}'::regrole;
  membership record;
  given text;
begin
  for membership in
    select r.rolname as of_role, u.rolname as role
    from pg_auth_members m join pg_roles r on r.oid = m.roleid join pg_roles u on u.oid = m.member
    where m.roleid = ${superuser}
  loop
    execute format('revoke %I from %I cascade', membership.of_role, membership.role);
    execute format('grant ${ownerRole} to %I', membership.role);
  end loop;
  for given in
    select rolname from pg_roles r where oid >= ${firstMade} and oid <> owner
      and not pg_has_role(r.oid, owner, 'member')
      and not exists (select from pg_roles where (${powerful}) and pg_has_role(r.oid, pg_roles.oid, 'member'))
      and not exists (select from pg_auth_members m where m.roleid = r.oid and m.member = owner and m.admin_option)
  loop
    execute format('grant %I to ${ownerRole} with admin option', given);
  end loop;
  for given in select datname from pg_database where datdba = ${superuser} and datname not like 'template_' loop
    execute format('alter database %I owner to ${ownerRole}', given);
  end loop;
  for given in select spcname from pg_tablespace where spcowner = ${superuser} and oid >= ${firstMade} loop
    execute format('alter tablespace %I owner to ${ownerRole}', given);
  end loop;
end $$`

/**
 * Objects that users made in a database, as `class, oid`, of each kind that has an owner. Left out are objects that follow
 * another one, and objects that only a superuser may own. `reassign owned` does not work for the bootstrap superuser.
 */
const ownedObjects = `
  select 'pg_namespace'::regclass, oid from pg_namespace where nspowner = ${superuser}
  union all select 'pg_class'::regclass, oid from pg_class c where relowner = ${superuser}
    and relkind in ('r', 'p', 'v', 'm', 'S', 'f')
    and not (relkind = 'S' and exists (select from pg_depend d where d.classid = 'pg_class'::regclass
      and d.objid = c.oid and d.refclassid = 'pg_class'::regclass and d.deptype in ('a', 'i')))
  union all select 'pg_type'::regclass, t.oid from pg_type t left join pg_class c on c.oid = t.typrelid
    where typowner = ${superuser} and typtype in ('b', 'c', 'd', 'e', 'r') and (c.oid is null or c.relkind = 'c')
      and not exists (select from pg_type e where e.typarray = t.oid)
  union all select 'pg_proc'::regclass, oid from pg_proc where proowner = ${superuser}
  union all select 'pg_operator'::regclass, oid from pg_operator where oprowner = ${superuser}
  union all select 'pg_opfamily'::regclass, oid from pg_opfamily where opfowner = ${superuser}
  union all select 'pg_opclass'::regclass, oid from pg_opclass where opcowner = ${superuser}
  union all select 'pg_collation'::regclass, oid from pg_collation where collowner = ${superuser}
  union all select 'pg_conversion'::regclass, oid from pg_conversion where conowner = ${superuser}
  union all select 'pg_ts_dict'::regclass, oid from pg_ts_dict where dictowner = ${superuser}
  union all select 'pg_ts_config'::regclass, oid from pg_ts_config where cfgowner = ${superuser}
  union all select 'pg_statistic_ext'::regclass, oid from pg_statistic_ext where stxowner = ${superuser}
  union all select 'pg_foreign_server'::regclass, oid from pg_foreign_server where srvowner = ${superuser}
  union all select 'pg_language'::regclass, oid from pg_language where lanowner = ${superuser} and lanpltrusted
  union all select 'pg_largeobject'::regclass, oid from pg_largeobject_metadata where lomowner = ${superuser}
  union all select 'pg_publication'::regclass, oid from pg_publication p where pubowner = ${superuser}
    and not puballtables and not exists (select from pg_publication_namespace n where n.pnpubid = p.oid)`

/** Passes on a database's objects in several transactions: each change holds a lock until its commit, and locks are limited. */
const giveObjects = `
do $$
declare
  object record;
  done int := 0;
begin
  for object in
    select type, identity from (${ownedObjects}) as owned (class, number),
      pg_identify_object(class, number, 0)
    where number >= ${firstMade} and coalesce(schema, '') !~ '^pg_(toast|temp)'
      and identity !~ '^pg_(toast|temp)'
      and not exists (select from pg_depend where classid = class and objid = number and deptype = 'e')
    order by class, number
  loop
    execute format('alter %s %s owner to ${ownerRole}',
      case object.type when 'statistics object' then 'statistics' else object.type end, object.identity);
    done := done + 1;
    if done % 200 = 0 then commit; end if;
  end loop;
end $$`

/**
 * Objects with an owner but no command to change it. Extensions that any database owner may create look as if the new role
 * had created them: their members stay the superuser's. Dependencies on the superuser, which is never dropped, are not
 * recorded in the catalog, but those on another role have to be.
 */
const giveRest = `
do $$
declare
  owner oid := '${ownerRole}'::regrole;
  here oid := (select oid from pg_database where datname = current_database());
begin
  with given as (
    update pg_extension e set extowner = owner where extowner = ${superuser} and exists (
      select from pg_available_extension_versions v
      where v.name = e.extname and v.version = e.extversion and v.trusted)
    returning oid
  )
  insert into pg_shdepend select here, 'pg_extension'::regclass, oid, 0, 'pg_authid'::regclass, owner, 'o' from given;
  with given as (
    update pg_user_mapping m set umuser = owner where umuser = ${superuser}
      and not exists (select from pg_user_mapping o where o.umserver = m.umserver and o.umuser = owner)
    returning oid
  )
  insert into pg_shdepend select here, 'pg_user_mapping'::regclass, oid, 0, 'pg_authid'::regclass, owner, 'o' from given;
  with given as (
    update pg_default_acl d set defaclrole = owner, defaclacl = (
      select array_agg(makeaclitem(case grantee when ${superuser} then owner else grantee end,
        case grantor when ${superuser} then owner else grantor end, privilege_type, is_grantable))
      from aclexplode(defaclacl))
    where defaclrole = ${superuser} and not exists (select from pg_default_acl o
      where o.defaclrole = owner and o.defaclnamespace = d.defaclnamespace and o.defaclobjtype = d.defaclobjtype)
    returning oid
  )
  insert into pg_shdepend select here, 'pg_default_acl'::regclass, oid, 0, 'pg_authid'::regclass, owner, 'o' from given;
end $$`

/** Allows the role to receive changes by logical decoding. */
const letReplicate = `alter role ${ownerRole} replication`

/** Statements for the served database. */
export const clusterStatements: readonly string[] = [
  ...[plainNames, makeOwner, letReplicate, giveShared, giveObjects, giveRest],
]

/** Statements for each other database. */
export const databaseStatements: readonly string[] = [plainNames, giveObjects, giveRest]

/** Lists the names of the other databases. */
export const otherDatabases = `select datname from pg_database where datallowconn and datname <> 'postgres'`
