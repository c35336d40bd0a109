import assert from 'node:assert/strict'
import test, { type TestContext } from 'node:test'
import { startService } from './service.ts'

const schema = `
  create table artist (id int primary key, name text);
  create table album (id int primary key, artist_id int references artist, title text, price int);
  create table review (id int primary key, album_id int references album)`

const metadata = {
  tables: [
    {
      table: 'album',
      configuration: { custom_root_fields: {}, custom_column_names: { title: 'heading' } },
      object_relationships: [{ name: 'artist', using: { foreign_key_constraint_on: 'artist_id' } }],
      array_relationships: [
        {
          name: 'reviews',
          using: { manual_configuration: { remote_table: 'review', column_mapping: { id: 'album_id' } } },
        },
      ],
      select_permissions: [
        {
          role: 'fan',
          permission: { columns: ['id', 'title'], filter: { artist: { name: { _eq: 'X-Service-Artist' } } } },
        },
        { role: 'shop', permission: { columns: ['id'], filter: { price: { _gt: 5 } } } },
      ],
      insert_permissions: [
        { role: 'shop', permission: { check: {}, set: { title: 'X-Service-Title' }, columns: ['id', 'title'] } },
      ],
    },
    {
      table: 'artist',
      array_relationships: [
        { name: 'albums', using: { foreign_key_constraint_on: { table: 'album', column: 'artist_id' } } },
      ],
      select_permissions: [
        {
          role: 'fan',
          permission: {
            columns: ['name'],
            filter: { _exists: { _table: 'album', _where: { title: { _eq: 'x' }, artist: { id: 1 } } } },
          },
        },
      ],
    },
    { table: 'review' },
  ],
}

async function startCatalog(t: TestContext) {
  const started = await startService(t, { sql: schema })
  const { op } = started
  await op('replace_metadata', metadata)
  return {
    ...started,
    run: (sql: string, more: object = {}) => op('run_sql', { sql, ...more }),
    tables: async () => {
      const exported = (await op('export_metadata', {})) as { tables: ExportedTable[] }
      return Object.fromEntries(exported.tables.map((entry) => [entry.table.name, entry]))
    },
  }
}

interface ExportedTable {
  readonly table: { readonly schema: string; readonly name: string }
  readonly configuration?: unknown
  readonly object_relationships?: { readonly using: unknown }[]
  readonly array_relationships?: { readonly using: unknown }[]
  readonly insert_permissions?: unknown
  readonly select_permissions?: { readonly role: string; readonly permission: { readonly filter: unknown } }[]
}

const refusedBecause = (error: string) => ({ status: 400, code: 'dependency-error', path: '$.args', error })

test('rows come as text with their column names first, null as NULL', async (t) => {
  const { op } = await startService(t)
  const sql = `select 1; select 1.50 as a, true as "b c", null as d, '{"x": 1}'::jsonb as e, array[1, 2] as f, '' as g`
  assert.deepEqual(await op('run_sql', { sql }), {
    result_type: 'TuplesOk',
    result: [
      ['a', 'b c', 'd', 'e', 'f', 'g'],
      ['1.50', 't', 'NULL', '{"x": 1}', '{1,2}', ''],
    ],
  })
  assert.deepEqual(await op('run_sql', { sql: 'select from generate_series(1, 2)' }), {
    result_type: 'TuplesOk',
    result: [[], [], []],
  })
  const command = { result_type: 'CommandOk', result: null }
  assert.deepEqual(await op('run_sql', { sql: 'select 1; create table x (id int)' }), command)
  const returning = await op('run_sql', { sql: 'insert into x values (1) returning *' })
  assert.deepEqual(returning, { result_type: 'TuplesOk', result: [['id'], ['1']] })
  assert.deepEqual(await op('run_sql', { sql: 'select id from x where false' }), {
    result_type: 'TuplesOk',
    result: [['id']],
  })
})

test('errors of PostgreSQL are reported with their details', async (t) => {
  const { refusal } = await startService(t)
  assert.deepEqual(await refusal({ type: 'run_sql', args: { sql: 'select * from nowhere' } }), {
    status: 400,
    code: 'postgres-error',
    path: '$.args',
    error: 'query execution failed',
    internal: {
      statement: 'select * from nowhere',
      prepared: false,
      arguments: [],
      error: {
        exec_status: 'FatalError',
        status_code: '42P01',
        message: 'relation "nowhere" does not exist',
        hint: null,
        description: null,
        position: 15,
        line: 1,
        column: 15,
      },
    },
  })
})

test('read-only text cannot write', async (t) => {
  const { refusal } = await startService(t)
  const { code, internal } = await refusal({
    type: 'run_sql',
    args: { sql: 'create table x (id int)', read_only: true },
  })
  assert.equal(code, 'postgres-error')
  assert.equal((internal as { error: { status_code: string } }).error.status_code, '25006')
})

test('a text that would roll back the transaction is refused before it runs', async (t) => {
  const { refused, sql } = await startService(t)
  await sql('create table x (id int)')
  const expected = { status: 400, code: 'not-supported', path: '$.args' }
  for (const [text, found] of [
    ['rollback', 'ROLLBACK in line 1'],
    ['alter table x rename to y;\n\n rollback work and chain; begin', 'ROLLBACK in line 3'],
    ['begin; alter table x rename to y;\nAbort Transaction', 'ABORT in line 2'],
    [`alter table x rename to y; prepare transaction 'z'`, 'PREPARE TRANSACTION in line 1'],
  ] as const) {
    const error = `the sql must not end the transaction that it runs in: ${found}`
    await refused('run_sql', { sql: text }, { ...expected, error })
    assert.deepEqual(await sql(`select to_regclass('x')::text as name`), [{ name: 'x' }])
  }
})

test('a text may contain its own begin and commit, and still succeeds or fails as a whole', async (t) => {
  const { op, refusal, sql } = await startService(t, { sql: 'create table x (id int, name text, primary key (id))' })
  const command = { result_type: 'CommandOk', result: null }
  const newKey = `BEGIN TRANSACTION;
ALTER TABLE "public"."x" DROP CONSTRAINT "x_pkey";

ALTER TABLE "public"."x"
    ADD CONSTRAINT "x_pkey" PRIMARY KEY ("id", "name");
COMMIT TRANSACTION;`
  assert.deepEqual(await op('run_sql', { sql: newKey }), command)
  for (const text of [
    'begin',
    'commit',
    '/* why */ START TRANSACTION ISOLATION LEVEL REPEATABLE READ, READ ONLY; insert into x values (1, $$begin;$$); End;',
    `begin work; insert into x values (2, 'commit;'); commit and chain; insert into x values (3, 'c'); commit work`,
    'begin; savepoint a; delete from x; rollback to savepoint a; release a; commit -- done',
  ]) {
    assert.deepEqual(await op('run_sql', { sql: text }), command, text)
  }
  const rows = async () => (await sql<{ id: number }>('select id from x order by 1')).map(({ id }) => id)
  assert.deepEqual(await rows(), [1, 2, 3])
  const { status, code, path } = await refusal({
    type: 'run_sql',
    args: { sql: `begin; insert into x values (4, 'd'); commit; begin; insert into x values (1, 'begin;'); commit` },
  })
  assert.deepEqual({ status, code, path }, { status: 400, code: 'postgres-error', path: '$.args' })
  assert.deepEqual(await rows(), [1, 2, 3])
  // PostgreSQL itself reports statements of that kind that it does not accept.
  for (const text of [`begin 'x'`, 'commit work now', `commit prepared 'x'`, 'begin read everything']) {
    assert.equal((await refusal({ type: 'run_sql', args: { sql: text } })).code, 'postgres-error', text)
  }
})

test('an error contains its position', async (t) => {
  const { refusal } = await startService(t)
  const place = async (sql: string) => {
    const { internal } = await refusal({ type: 'run_sql', args: { sql } })
    const { error, help } = internal as { error: Record<string, unknown>; help?: string }
    return { position: error['position'], line: error['line'], column: error['column'], help }
  }
  assert.deepEqual(await place('select 1;\nselect oops'), { position: 18, line: 2, column: 8, help: undefined })
  // Positions count characters of any size, and skipped text keeps its length.
  assert.deepEqual(await place("begin /* 🐘 */;\r\n\r\nselect '🐘', oops; commit"), {
    position: 31,
    line: 3,
    column: 13,
    help: undefined,
  })
  assert.deepEqual(await place('select 1/0'), {
    position: undefined,
    line: undefined,
    column: undefined,
    help: undefined,
  })
  const ofPsql =
    'lines that begin with a backslash are commands of psql, which PostgreSQL does not know: leave them out'
  assert.deepEqual(await place('select 1;\n\\connect other'), { position: 11, line: 2, column: 1, help: ofPsql })
  const copy =
    'rows of COPY ... FROM stdin cannot be sent this way: use INSERT statements, which pg_dump writes with --inserts'
  const table = 'create table dumped (id int, name text);\ncopy public.dumped (id, name) from stdin;\n'
  assert.deepEqual(await place(`${table}1\tx\n\\.\n`), { position: 84, line: 3, column: 1, help: copy })
  assert.equal((await place(table)).help, copy)
})

test('an error repeats only a part of a long text', async (t) => {
  const { refusal } = await startService(t)
  const long = 'x'.repeat(300_000)
  const { internal } = await refusal({ type: 'run_sql', args: { sql: `select '${long}';\nselect oops, '${long}'` } })
  const { statement, error } = internal as { statement: string; error: { line: number; column: number } }
  assert.equal(statement.length, 2002)
  assert.match(statement, /^…x+';\nselect oops, 'x+…$/)
  assert.deepEqual([error.line, error.column], [2, 8])
})

test('the hasura dialect answers as v1.3 does', async (t) => {
  const { refusal } = await startService(t, { dialect: 'hasura' })
  const sql = `select '${'x'.repeat(10_000)}', oops`
  const { internal } = await refusal({ type: 'run_sql', args: { sql } })
  const message = 'column "oops" does not exist'
  assert.deepEqual(internal, {
    statement: sql,
    prepared: false,
    arguments: [],
    error: { exec_status: 'FatalError', status_code: '42703', message, hint: null, description: null },
  })
})

test('a text that resets all settings does not count as ending the transaction', async (t) => {
  const { op, sql } = await startService(t)
  const text = 'create table kept (id int); reset all; discard temp; select current_user'
  assert.deepEqual(await op('run_sql', { sql: text }), {
    result_type: 'TuplesOk',
    result: [['current_user'], ['postgres']],
  })
  assert.deepEqual(await sql(`select to_regclass('kept')::text as name`), [{ name: 'kept' }])
})

test('settings and roles that the text sets do not reach later requests', async (t) => {
  const { op, connections } = await startService(t)
  await op('run_sql', { sql: `set search_path = pg_catalog; set role pg_monitor; set statement_timeout = 100` })
  for (let i = 0; i < 6; i++) {
    const [row] = await connections.rows(
      `select current_setting('search_path') as path, current_setting('statement_timeout') as timeout, current_user as "user"`,
    )
    assert.deepEqual(row, { path: '"$user", public', timeout: '0', user: 'postgres' })
  }
})

test('only text with certain words is checked, unless the caller says otherwise', async (t) => {
  const { run, service, sql } = await startCatalog(t)
  const { model } = service
  await run('create table other (id int)')
  await run('truncate review')
  assert.equal(service.model, model)
  await run('comment on table artist is $$x$$', { check_metadata_consistency: false })
  assert.equal(service.model, model)
  await run('COMMENT ON table artist is $$y$$')
  assert.notEqual(service.model, model)
  await sql('alter table artist add column more text')
  await run('select 1', { check_metadata_consistency: true })
  assert.ok([...service.model.tables.values()][1]?.columns.has('more'))
})

test('dropping a table that others depend on needs cascade', async (t) => {
  const { run, refused, tables, sql } = await startCatalog(t)
  const drop = 'drop table artist cascade'
  const dependents = 'permission album.fan.select, relationship album.artist'
  const error = `cannot drop due to the following dependent objects : ${dependents}`
  await refused('run_sql', { sql: drop }, refusedBecause(error))
  assert.deepEqual(await sql(`select to_regclass('artist')::text as artist`), [{ artist: 'artist' }])
  await run(drop, { cascade: true })
  const after = await tables()
  assert.deepEqual(Object.keys(after), ['album', 'review'])
  assert.equal(after.album?.object_relationships, undefined)
  assert.deepEqual(
    after.album?.select_permissions?.map(({ role }) => role),
    ['shop'],
  )
})

test('dropping a column drops the permissions that name it, and its custom name', async (t) => {
  const { run, refused, tables } = await startCatalog(t)
  const drop = 'alter table album drop column title'
  const dependents = 'permission album.fan.select, permission album.shop.insert, permission artist.fan.select'
  await refused(
    'run_sql',
    { sql: drop },
    refusedBecause(`cannot drop due to the following dependent objects : ${dependents}`),
  )
  await run(drop, { cascade: true })
  const { album, artist } = await tables()
  assert.equal(album?.configuration, undefined)
  assert.equal(album?.insert_permissions, undefined)
  assert.equal(artist?.select_permissions, undefined)
})

test('dropping the foreign key of a relationship needs cascade', async (t) => {
  const { run, refused, tables } = await startCatalog(t)
  const drop = 'alter table album drop constraint album_artist_id_fkey'
  const dependents = 'relationship album.artist, relationship artist.albums'
  await refused(
    'run_sql',
    { sql: drop },
    refusedBecause(`cannot drop due to the following dependent objects : ${dependents}`),
  )
  await run(`${drop}; alter table album add foreign key (artist_id) references artist`)
  assert.deepEqual(Object.keys((await tables()).album!).includes('object_relationships'), true)
})

test('a renamed column is followed everywhere', async (t) => {
  const { run, tables, op } = await startCatalog(t)
  await run(`alter table album rename column title to name; alter table album rename column artist_id to maker_id;
    alter table review rename column album_id to about`)
  const { album, artist } = await tables()
  assert.deepEqual(album, {
    table: { schema: 'public', name: 'album' },
    configuration: { custom_root_fields: {}, custom_column_names: { name: 'heading' } },
    object_relationships: [{ name: 'artist', using: { foreign_key_constraint_on: 'maker_id' } }],
    array_relationships: [
      {
        name: 'reviews',
        using: {
          manual_configuration: { remote_table: { schema: 'public', name: 'review' }, column_mapping: { id: 'about' } },
        },
      },
    ],
    insert_permissions: [
      { role: 'shop', permission: { check: {}, set: { name: 'X-Service-Title' }, columns: ['id', 'name'] } },
    ],
    select_permissions: [
      {
        role: 'fan',
        permission: { columns: ['id', 'name'], filter: { artist: { name: { _eq: 'X-Service-Artist' } } } },
      },
      { role: 'shop', permission: { columns: ['id'], filter: { price: { _gt: 5 } } } },
    ],
  })
  const [key] = artist?.array_relationships ?? []
  const album_ = { schema: 'public', name: 'album' }
  assert.deepEqual(key?.using, { foreign_key_constraint_on: { table: album_, column: 'maker_id' } })
  const [permission] = artist?.select_permissions ?? []
  assert.deepEqual(permission?.permission.filter, {
    _exists: { _table: album_, _where: { name: { _eq: 'x' }, artist: { id: 1 } } },
  })
  assert.deepEqual(await op('get_inconsistent_metadata', {}), [])
})

test('columns may swap their names', async (t) => {
  const { op, run, tables } = await startCatalog(t)
  const swap = ['title to x', 'price to title', 'x to price'].map((names) => `alter table album rename column ${names}`)
  await op('replace_metadata', {
    tables: [
      {
        table: 'album',
        select_permissions: [
          { role: 'r', permission: { columns: ['title', 'price'], filter: { title: { _eq: 'X-Service-A' } } } },
        ],
      },
    ],
  })
  await run(swap.join(';'))
  const [permission] = (await tables()).album?.select_permissions ?? []
  assert.deepEqual(permission?.permission, { columns: ['price', 'title'], filter: { price: { _eq: 'X-Service-A' } } })
})

test('a renamed table, or one in another schema, is followed everywhere', async (t) => {
  const { run, tables, op, service } = await startCatalog(t)
  await run('alter table album rename to record; create schema shop; alter table record set schema shop')
  const record = { schema: 'shop', name: 'record' }
  const { artist, record: entry } = await tables()
  assert.deepEqual(entry?.table, record)
  const [relationship] = artist?.array_relationships ?? []
  assert.deepEqual(relationship?.using, { foreign_key_constraint_on: { table: record, column: 'artist_id' } })
  const [permission] = artist?.select_permissions ?? []
  const where = { title: { _eq: 'x' }, artist: { id: 1 } }
  assert.deepEqual(permission?.permission.filter, { _exists: { _table: record, _where: where } })
  assert.deepEqual(await op('get_inconsistent_metadata', {}), [])
  assert.equal(service.model.tables.size, 3)
})

test('tables may swap their names', async (t) => {
  const { run, tables, op } = await startCatalog(t)
  await op('replace_metadata', {
    tables: [
      { table: 'artist', select_permissions: [{ role: 'a', permission: { columns: ['name'], filter: {} } }] },
      { table: 'review', select_permissions: [{ role: 'b', permission: { columns: ['album_id'], filter: {} } }] },
    ],
  })
  await run('alter table artist rename to x; alter table review rename to artist; alter table x rename to review')
  const after = await tables()
  assert.equal(after.review?.select_permissions?.[0]?.role, 'a')
  assert.equal(after.artist?.select_permissions?.[0]?.role, 'b')
})

test('tables renamed together are followed through relationships between them', async (t) => {
  const { run, tables, op } = await startCatalog(t)
  const filterOf = async (table: string) => (await tables())[table]?.select_permissions?.[0]?.permission.filter
  const filter = (name: string, schema = 'public') => ({
    albums: { artist: { _exists: { _table: { schema, name }, _where: {} } } },
  })
  await op('drop_select_permission', { table: 'artist', role: 'fan' })
  const permission = { columns: ['id'], filter: filter('review') }
  await op('create_select_permission', { table: 'artist', role: 'fan', permission })
  await run('alter table album rename to record; alter table review rename to critique')
  assert.deepEqual(await filterOf('artist'), filter('critique'))
  await run('alter table record rename to x; alter table critique rename to record; alter table x rename to critique')
  assert.deepEqual(await filterOf('artist'), filter('record'))
  await run('alter schema public rename to shop; create schema public')
  assert.deepEqual(await filterOf('artist'), filter('record', 'shop'))
  assert.deepEqual(await op('get_inconsistent_metadata', {}), [])
})

test('a column cannot take the name of a relationship', async (t) => {
  const { refused } = await startCatalog(t)
  await refused(
    'run_sql',
    { sql: 'alter table album rename column title to reviews' },
    {
      status: 400,
      code: 'already-exists',
      path: '$.args',
      error:
        'cannot rename column "title" to "reviews" in table "album" as a relationship with the name already exists',
    },
  )
})

test('the type of a column stays while constants are compared with it', async (t) => {
  const { run, refused } = await startCatalog(t)
  const retype = (column: string) => `alter table album alter column ${column} type varchar`
  const error =
    'cannot change type of column "price" in table "album" because of the following dependencies : permission album.shop.select'
  await refused('run_sql', { sql: retype('price'), cascade: true }, refusedBecause(error))
  await run('alter table artist alter column name type varchar')
})

test('a type that is renamed, or moves to another schema, is the same type', async (t) => {
  const { run, sql, op, refusal, service } = await startCatalog(t)
  await sql(`create type mood as enum ('sad', 'ok'); alter table review add column mood mood, add column moods mood[]`)
  await op('reload_metadata', {})
  const permission = { columns: ['id'], filter: { mood: { _eq: 'ok' }, moods: { _eq: ['ok'] } } }
  await op('create_select_permission', { table: 'review', role: 'fan', permission })
  await run('alter type mood rename to "Mood"; create schema shop; alter type "Mood" set schema shop')
  const review = [...service.model.tables.values()].find(({ name }) => name.name === 'review')
  assert.equal(review?.columns.get('moods')?.type.sql, 'shop."Mood"[]')
  const another = `create type mood as enum ('ok');
    alter table review alter column mood type mood using mood::text::mood`
  const { error } = await refusal({ type: 'run_sql', args: { sql: another } })
  assert.match(error, /^cannot change type of column "mood" in table "review" because of /)
})

test('a table that was dropped outside of the engine stays in the metadata', async (t) => {
  const { run, sql, refusal, tables } = await startCatalog(t)
  await sql('drop table review')
  const { status, error } = await refusal({ type: 'run_sql', args: { sql: 'alter table artist add column x int' } })
  assert.deepEqual([status, error], [500, 'cannot continue due to newly found inconsistent metadata'])
  assert.ok('review' in (await tables()))
  await assert.rejects(run('alter table artist drop column x'))
})

test('a table cannot take the name of a tracked table that was dropped outside of the engine', async (t) => {
  const { op, sql, refused } = await startCatalog(t)
  await sql('drop table review')
  await op('reload_metadata', {})
  const rename = { sql: 'alter table artist rename to review' }
  const error = '"review" is in tables already'
  await refused('run_sql', rename, { status: 400, code: 'already-exists', path: '$.args', error })
})

test('new columns are served at once', async (t) => {
  const { run, service } = await startCatalog(t)
  await run('alter table artist add column born date')
  const artist = [...service.model.tables.values()].find(({ name }) => name.name === 'artist')
  assert.ok(artist?.columns.has('born'))
})
