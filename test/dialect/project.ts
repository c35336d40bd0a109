// A project as people commit it: migrations that the tool sends as they are, and metadata that it merges of many files.

/** Migrations in order, as consoles and dumps write them. */
export const migrations: readonly string[] = [
  `SET check_function_bodies = false;
CREATE EXTENSION IF NOT EXISTS pgcrypto;
CREATE SCHEMA sales;
CREATE TABLE public.role (value text NOT NULL, comment text);
ALTER TABLE ONLY public.role ADD CONSTRAINT role_pkey PRIMARY KEY (value);
INSERT INTO public.role (value, comment) VALUES ('owner', 'May do all'), ('guest', NULL);
CREATE FUNCTION public.set_current_timestamp_updated_at() RETURNS trigger
    LANGUAGE plpgsql
    AS $$
DECLARE
  _new record;
BEGIN
  _new := NEW;
  _new."updated_at" = NOW();
  RETURN _new;
END;
$$;`,
  `CREATE TABLE "public"."users"("id" uuid NOT NULL DEFAULT gen_random_uuid(), "created_at" timestamptz NOT NULL DEFAULT now(), "updated_at" timestamptz NOT NULL DEFAULT now(), "email" text NOT NULL, "first" text, "last" text, "role" text NOT NULL DEFAULT 'guest', "settings" jsonb NOT NULL DEFAULT jsonb_build_object(), PRIMARY KEY ("id"), FOREIGN KEY ("role") REFERENCES "public"."role"("value") ON UPDATE restrict ON DELETE restrict, UNIQUE ("email"));COMMENT ON TABLE "public"."users" IS E'People; they sign in';
CREATE TRIGGER "set_public_users_updated_at"
BEFORE UPDATE ON "public"."users"
FOR EACH ROW
EXECUTE PROCEDURE "public"."set_current_timestamp_updated_at"();
COMMENT ON TRIGGER "set_public_users_updated_at" ON "public"."users"
IS 'trigger to set value of column "updated_at" to current timestamp on row update';`,
  `CREATE TABLE profile (user_id uuid PRIMARY KEY REFERENCES users ON DELETE CASCADE, bio text, "isPublic" boolean NOT NULL DEFAULT false);
create table sales.shop (id serial primary key, name text not null, owner_id uuid references users (id));
create table sales.shelf (shop_id int not null references sales.shop, code text not null, kind text, primary key (shop_id, code));
create table sales.item (id serial primary key, shop_id int not null, shelf_code text not null, title text, price numeric(10,2),
  tags jsonb default '[]', foreign key (shop_id, shelf_code) references sales.shelf (shop_id, code) on delete cascade);
create table membership (user_id uuid references users, shop_id int references sales.shop, since date, primary key (user_id, shop_id));`,
  `CREATE OR REPLACE VIEW public.public_profile AS SELECT profile.user_id, profile.bio FROM profile WHERE profile."isPublic";
CREATE FUNCTION public.user_full_name(user_row users) RETURNS text LANGUAGE sql STABLE AS $function$
  SELECT user_row.first || ' ' || user_row.last
$function$;
CREATE FUNCTION sales.search_items(search text, hasura_session json) RETURNS SETOF sales.item LANGUAGE sql STABLE AS $$
  SELECT * FROM sales.item WHERE title ILIKE '%' || search || '%'
$$;`,
  `alter table "sales"."item" add column "note" text null;`,
  `alter table "sales"."item" rename column "note" to "remark";`,
  `ALTER TABLE "sales"."item" ALTER COLUMN "remark" TYPE varchar;
ALTER TABLE "sales"."item" drop constraint "item_shop_id_shelf_code_fkey",
          add constraint "item_on_shelf"
          foreign key ("shop_id", "shelf_code")
          references "sales"."shelf"
          ("shop_id", "code") on update cascade on delete restrict;`,
  ...Array.from({ length: 40 }, (_, i) => {
    const parent = i === 0 ? 'public.users' : `t${i - 1}`
    const type = i === 0 ? 'uuid' : 'bigint'
    return `CREATE TABLE "public"."t${i}"("id" bigserial NOT NULL, "parent_id" ${type} references ${parent} ("id"), "Data" jsonb, PRIMARY KEY ("id"));
CREATE INDEX "t${i}_parent" on "public"."t${i}" using btree ("parent_id");`
  }),
]

const table = (name: string, schema = 'public') => ({ schema, name })
const fk = (key: unknown) => ({ foreign_key_constraint_on: key })
const me = 'X-Hasura-User-Id'

const users = {
  table: table('users'),
  configuration: {
    custom_root_fields: { select: 'people', select_by_pk: 'person' },
    custom_column_names: { first: 'firstName', last: 'lastName' },
  },
  object_relationships: [
    {
      name: 'profile',
      using: {
        manual_configuration: {
          remote_table: table('profile'),
          column_mapping: { id: 'user_id' },
          insertion_order: 'after_parent',
        },
      },
    },
  ],
  array_relationships: [
    { name: 'memberships', using: fk({ column: 'user_id', table: table('membership') }) },
    { name: 'shops', using: fk({ column: 'owner_id', table: table('shop', 'sales') }), comment: 'Those that they own' },
  ],
  computed_fields: [
    { name: 'full_name', definition: { function: table('user_full_name') }, comment: 'First and last' },
  ],
  insert_permissions: [
    {
      role: 'anonymous',
      permission: {
        check: { role: { _eq: 'guest' } },
        set: { role: 'guest', settings: { theme: 'dark', notify: [1, 2] } },
        columns: ['email', 'first', 'last'],
        backend_only: false,
      },
    },
  ],
  select_permissions: [
    {
      role: 'user',
      permission: {
        columns: ['id', 'email', 'first', 'last', 'role', 'settings'],
        computed_fields: ['full_name'],
        filter: {
          _or: [
            { id: { _eq: me } },
            { memberships: { shop: { owner_id: { _eq: me } } } },
            { _and: [{ settings: { _has_key: 'public' } }, { _not: { email: { _is_null: true } } }] },
          ],
        },
        limit: 50,
        allow_aggregations: true,
      },
    },
  ],
  update_permissions: [
    {
      role: 'user',
      permission: {
        columns: ['first', 'last'],
        filter: { id: { _eq: me } },
        check: null,
        set: { settings: 'x-hasura-settings' },
      },
    },
  ],
  delete_permissions: [
    { role: 'user', permission: { filter: { _and: [{ id: { $eq: me } }, { role: { _ne: 'owner' } }] } } },
  ],
}

const ownShop = { shop: { owner_id: { _eq: me } } }

const item = {
  table: table('item', 'sales'),
  object_relationships: [{ name: 'shelf', using: fk(['shop_id', 'shelf_code']) }],
  insert_permissions: [
    {
      role: 'user',
      permission: {
        check: { shelf: ownShop },
        set: { tags: [] },
        columns: ['id', 'shelf_code', 'shop_id', 'title', 'price'],
      },
    },
  ],
  select_permissions: [
    {
      role: 'anonymous',
      permission: { columns: ['title'], filter: { price: { _lte: 10 }, title: { _nilike: '%secret%' } } },
    },
    {
      role: 'user',
      permission: {
        columns: '*',
        filter: {
          _exists: {
            _table: table('membership'),
            _where: { _and: [{ user_id: { _eq: me } }, { shop_id: { _in: 'X-Hasura-Shops' } }] },
          },
        },
        allow_aggregations: true,
      },
    },
  ],
}

const shop = {
  table: table('shop', 'sales'),
  object_relationships: [{ name: 'owner', using: fk('owner_id') }],
  array_relationships: [
    { name: 'members', using: fk({ column: 'shop_id', table: table('membership') }) },
    { name: 'shelves', using: fk({ column: 'shop_id', table: table('shelf', 'sales') }) },
  ],
  select_permissions: [{ role: 'user', permission: { columns: ['id', 'name'], filter: {} } }],
}

const shelf = {
  table: table('shelf', 'sales'),
  object_relationships: [{ name: 'shop', using: fk('shop_id') }],
  array_relationships: [
    { name: 'items', using: fk({ columns: ['shop_id', 'shelf_code'], table: table('item', 'sales') }) },
  ],
  select_permissions: [{ role: 'user', permission: { columns: '*', filter: {} } }],
}

const membership = {
  table: table('membership'),
  object_relationships: [
    { name: 'shop', using: fk('shop_id') },
    { name: 'user', using: fk('user_id') },
  ],
  select_permissions: [
    {
      role: 'user',
      permission: { columns: '*', filter: { _or: [{ user_id: { _eq: me } }, { shop: { owner_id: { _eq: me } } }] } },
    },
  ],
}

const profile = {
  table: table('profile'),
  object_relationships: [{ name: 'user', using: fk('user_id') }],
  insert_permissions: [{ role: 'anonymous', permission: { check: {}, columns: ['bio', 'isPublic', 'user_id'] } }],
  select_permissions: [
    { role: 'user', permission: { columns: ['bio', 'isPublic', 'user_id'], filter: { isPublic: { _eq: true } } } },
  ],
}

const generated = Array.from({ length: 40 }, (_, i) => ({
  table: table(`t${i}`),
  object_relationships: [{ name: 'parent', using: fk('parent_id') }],
  ...(i < 39 && {
    array_relationships: [{ name: 'children', using: fk({ column: 'parent_id', table: table(`t${i + 1}`) }) }],
  }),
  select_permissions: [
    { role: 'user', permission: { columns: ['id', 'Data'], filter: i < 20 ? chain(i) : {}, allow_aggregations: true } },
  ],
}))

/** Through all parents to the user. */
function chain(depth: number): object {
  return { parent: depth === 0 ? { id: { _eq: me } } : chain(depth - 1) }
}

const byName = (a: { table: { schema: string; name: string } }, b: typeof a): number => {
  const text = (entry: typeof a) => `${entry.table.schema}\u0000${entry.table.name}`
  return text(a) < text(b) ? -1 : 1
}

/** The metadata, as an export shows it. */
export const exported = {
  version: 2,
  tables: [
    ...[users, item, shop, shelf, membership, profile, ...generated],
    { table: table('role'), is_enum: true },
    {
      table: table('public_profile'),
      select_permissions: [{ role: 'anonymous', permission: { columns: ['bio'], filter: {} } }],
    },
  ].sort(byName),
  functions: [{ function: table('search_items', 'sales'), configuration: { session_argument: 'hasura_session' } }],
}

const nothing = {
  remote_schemas: [],
  query_collections: [],
  allowlist: [],
  actions: [],
  custom_types: { enums: [], input_objects: [], objects: [], scalars: [] },
  cron_triggers: [],
}

/** The document as the tool of v1.3 merges it of its files. */
export const mergedV2 = { ...exported, ...nothing }

/** The document as the tool of later engines merges it. */
export const mergedV3 = {
  version: 3,
  sources: [
    {
      name: 'default',
      kind: 'postgres',
      configuration: {
        connection_info: {
          database_url: { from_env: 'PG_DATABASE_URL' },
          isolation_level: 'read-committed',
          pool_settings: { connection_lifetime: 600, idle_timeout: 180, max_connections: 50, retries: 1 },
          use_prepared_statements: true,
        },
      },
      customization: { naming_convention: 'hasura-default' },
      tables: exported.tables,
      functions: exported.functions,
    },
  ],
  ...nothing,
  api_limits: { disabled: false },
  graphql_schema_introspection: { disabled_for_roles: [] },
  inherited_roles: [],
  metrics_config: { analyze_query_variables: false, analyze_response_body: false },
  network: { tls_allowlist: [] },
  opentelemetry: {},
  rest_endpoints: [],
}
