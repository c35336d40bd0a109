// Search, SDL and differences of the GraphQL schemas of roles.

import assert from 'node:assert/strict'
import { test } from 'node:test'
import { buildClientSchema, buildSchema, getIntrospectionQuery, type IntrospectionQuery, printSchema } from 'graphql'
import { lexicographicSortSchema } from 'graphql/utilities/index.js'
import { startTrellis } from '../support/trellis.ts'

const sql = `
  create table artist (id int primary key, name text not null, born date);
  create table album (id int primary key, title text, artist_id int references artist);
  comment on table album is 'A "record"\tof songs';
  comment on column album.title is 'As on the cover'`

interface Match {
  readonly path: string
  readonly kind: string
  readonly type: string | null
  readonly description: string | null
}

interface Found {
  readonly matches: readonly Match[]
  readonly more: boolean
}

interface Page {
  readonly sdl: string
  readonly next: string | null
}

async function start(t: Parameters<typeof startTrellis>[0]) {
  const trellis = await startTrellis(t, { sql })
  const { op } = trellis
  const select = (table: string, role: string, columns: string[], more: object = {}) => ({
    type: 'create_select_permission',
    args: { table, role, permission: { columns, filter: {}, ...more } },
  })
  await op('bulk', [
    { type: 'track_table', args: 'artist' },
    { type: 'track_table', args: 'album' },
    {
      type: 'create_object_relationship',
      args: { table: 'album', name: 'artist', using: { foreign_key_constraint_on: 'artist_id' } },
    },
    select('artist', 'reader', ['id', 'name']),
    select('artist', 'clerk', ['id', 'born'], { allow_aggregations: true }),
    select('album', 'clerk', ['title']),
  ])
  return trellis
}

test("a role's schema is searched, described and compared as its introspection shows it", async (t) => {
  const { op, graphql, opError } = await start(t)
  const search = (role: string, text: string, more: object = {}) => op<Found>('search_schema', { role, text, ...more })
  const paths = async (role: string, text: string) => (await search(role, text)).matches.map(({ path }) => path)

  await t.test('names that begin with the text come first, then those that contain it, then descriptions', async () => {
    const { matches, more } = await search('reader', 'ARTIST', { limit: 4 })
    assert.deepEqual(
      matches.map(({ path, kind, type }) => [path, kind, type]),
      [
        ['artist', 'type', 'object'],
        ['query_root.artist', 'field', '[artist!]!'],
        ['subscription_root.artist', 'field', '[artist!]!'],
        ['artist_bool_exp', 'type', 'input object'],
      ],
    )
    assert.equal(more, true)
    const [cover] = (await search('clerk', 'on the cover')).matches
    assert.deepEqual(cover, {
      path: 'album.title',
      kind: 'field',
      name: 'title',
      type: 'String',
      description: 'As on the cover',
    })
    assert.deepEqual(await paths('clerk', '"record"\t'), ['album'])
    assert.ok((await paths('reader', 'distinct')).includes('query_root.artist(distinct_on:)'))
  })

  await t.test('a role finds only its own schema', async () => {
    assert.deepEqual(await paths('reader', 'born'), [])
    assert.deepEqual(await paths('reader', 'album'), [])
    assert.ok((await paths('clerk', 'born')).includes('artist.born'))
    assert.deepEqual(await paths('nobody', 'artist'), [])
  })

  await t.test('the SDL is the schema of introspection', async () => {
    for (const role of ['admin', 'reader', 'clerk', 'nobody']) {
      const { sdl, next } = await op<Page>('get_role_schema', { role })
      assert.equal(next, null)
      const { data } = await graphql<{ data: IntrospectionQuery }>(
        getIntrospectionQuery({ inputValueDeprecation: true, specifiedByUrl: true }),
        {},
        { role },
      )
      const whole = (schema: ReturnType<typeof buildSchema>) => printSchema(lexicographicSortSchema(schema))
      assert.equal(whole(buildSchema(sdl)), whole(buildClientSchema(data)), role)
    }
    const { sdl } = await op<Page>('get_role_schema', { role: 'reader', after: 'artist_bool_exp' })
    assert.doesNotMatch(sdl, /type artist \{|schema \{/)
    assert.match(sdl, /^input artist_order_by \{$/m)
    assert.deepEqual((await opError('get_role_schema', { role: 'reader', after: 'album' })).body, {
      path: '$.args.after',
      error: 'the schema of the role has no such type',
      code: 'not-exists',
    })
  })

  await t.test('differences are listed once, at the highest place', async () => {
    const diff = (args: object) =>
      op<Record<'only_a' | 'only_b', string[]> & { differing: object[] }>('diff_role_schemas', args)
    const { only_a: onlyA, only_b: onlyB, differing } = await diff({ a: 'reader', b: 'clerk' })
    assert.ok(onlyA.includes('artist.name') && onlyB.includes('artist.born'))
    assert.ok(onlyB.includes('album') && onlyB.includes('query_root.artist_aggregate'))
    assert.ok(!onlyB.some((path) => path.startsWith('album.') || path.startsWith('query_root.artist_aggregate(')))
    assert.deepEqual(differing, [])
    assert.deepEqual(await diff({ a: 'reader', b: 'reader' }), { only_a: [], only_b: [], differing: [], more: false })
    const cut = await diff({ a: 'reader', b: 'clerk', limit: 2 })
    assert.deepEqual(
      [cut.only_a.length + cut.only_b.length + cut.differing.length, Reflect.get(cut, 'more')],
      [2, true],
    )
  })

  await t.test('a change of the metadata is seen at once', async () => {
    await op(
      'set_table_custom_fields',
      { table: 'artist', custom_column_names: { born: 'birthday' }, custom_root_fields: {} },
      { version: 2 },
    )
    assert.deepEqual(await paths('clerk', 'born'), [])
    assert.ok((await paths('clerk', 'birthday')).includes('artist.birthday'))
  })
})
