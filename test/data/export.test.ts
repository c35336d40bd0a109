// Rows as files: CSV and lines of JSON, as the role may read them, no faster than the client takes them.

import assert from 'node:assert/strict'
import { once } from 'node:events'
import { get, type IncomingMessage } from 'node:http'
import { test } from 'node:test'
import { startTrellis } from '../support/trellis.ts'
import { eventually } from '../support/waiting.ts'

const tables = `
  create table note (id bigint primary key, "of, whom" text, body text, amount numeric, doc json, owner int);
  insert into note values
    (1, 'Ann', 'plain', -12.50, '{"a":
 1}', 1),
    (2, '', E'two\\nlines, "quoted"', 1e30, null, 2),
    (3, null, '=1+1', 9007199254740993, '[1]', 1),
    (4, '-5', E'\\t@x', null, '"text"', 2),
    (5, '＝1', 'O''Neill, 漢字 🙂', 'NaN', 'null', 1);
  create table noted (note_id int references note, at date);
  create table large (id int primary key, text text);
  insert into large select i, repeat('x', 1000) from generate_series(1, 60000) i;
  create function traced() returns setof note language plpgsql volatile as $$
    begin insert into noted values (1, now()); return query select * from note; end $$;
  create view traced_note as select id from traced();
  create table shared (id int, parent int);
  insert into shared values (1, 3), (2, 2), (3, 1);
  create table pg_dist_partition (logicalrelid regclass, partmethod "char", partkey text, colocationid int, repmodel "char");
  insert into pg_dist_partition values ('shared', 'h', '{VAR :varattno 1 }', 1, 's');
  alter table pg_dist_partition set schema pg_catalog;
`

const secrets = { adminSecret: 'sesame', readSecret: 'look', connections: 10 }

test('rows are sent as files', async (t) => {
  const trellis = await startTrellis(t, { sql: tables, settings: secrets })
  const as = (secret: string, role = 'admin') => ({
    role: null,
    headers: { 'x-service-admin-secret': secret, 'x-service-role': role, 'x-service-user-id': '1' },
  })
  const admin = as('sesame')
  const permission = (columns: string[], filter: object) => ({ columns, filter, limit: 2 })
  await trellis.op(
    'bulk',
    [
      ...['note', 'noted', 'large', 'traced_note', 'shared'].map((args) => ({ type: 'track_table', args })),
      ...(
        [
          ['clerk', ['id', 'body'], { owner: { _eq: 'X-Service-User-Id' } }],
          ['teller', ['id', 'amount'], { id: { _lt: 2 } }],
        ] as const
      ).map(([role, columns, filter]) => ({
        type: 'create_select_permission',
        args: { table: 'note', role, permission: permission([...columns], filter) },
      })),
      { type: 'add_inherited_role', args: { role_name: 'both', role_set: ['clerk', 'teller'] } },
    ],
    admin,
  )
  const file = async (name: string, how: object = admin) => {
    const { status, text, headers } = await trellis.request(`/v1alpha1/rows.${name}`, { ...how, method: 'GET' })
    return { status, text, headers }
  }

  await t.test('CSV has quotes where needed, NULL as nothing, and no formulas', async () => {
    const { status, text, headers } = await file(
      'csv?table=note&order_by=-id&columns=id&columns=of, whom&columns=body&columns=amount',
    )
    assert.equal(status, 200)
    assert.equal(headers.get('content-type'), 'text/csv; charset=utf-8; header=present')
    assert.equal(headers.get('content-disposition'), 'attachment; filename="note.csv"')
    assert.deepEqual(text.split('\r\n'), [
      'id,"of, whom",body,amount',
      `5,'＝1,"O'Neill, 漢字 🙂",NaN`,
      `4,'-5,'\t@x,`,
      `3,,'=1+1,9007199254740993`,
      `2,"","two\nlines, ""quoted""",1000000000000000000000000000000`,
      '1,Ann,plain,-12.50',
      '',
    ])
    const raw = await file('csv?table=note&order_by=id&columns=body&raw=true&where={"id":{"$in":[3,4]}}')
    assert.equal(raw.text, 'body\r\n=1+1\r\n\t@x\r\n')
    const none = await file('csv?table=note&columns=id&limit=0')
    assert.equal(none.text, 'id\r\n')
  })

  await t.test('lines of JSON keep every digit', async () => {
    const { text, headers } = await file('ndjson?table=note&order_by=id&columns=id&columns=amount&columns=doc&limit=3')
    assert.equal(headers.get('content-type'), 'application/x-ndjson; charset=utf-8')
    assert.equal(
      text,
      '{"id":1,"amount":-12.50,"doc":{"a":  1}}\n{"id":2,"amount":1000000000000000000000000000000,"doc":null}\n' +
        '{"id":3,"amount":9007199254740993,"doc":[1]}\n',
    )
  })

  await t.test('rows of a distributed table keep their order', async () => {
    const all = await file('csv?table=shared&order_by=-parent&columns=id')
    assert.equal(all.text, 'id\r\n1\r\n2\r\n3\r\n')
    const some = await file('csv?table=shared&order_by=-id&columns=parent&limit=2')
    assert.equal(some.text, 'parent\r\n1\r\n2\r\n')
  })

  await t.test('a role gets its rows, columns and limit', async () => {
    assert.equal(
      (await file('csv?table=note&order_by=id', as('sesame', 'clerk'))).text,
      `id,body\r\n1,plain\r\n3,'=1+1\r\n`,
    )
    // The amount is null where only the other parent lets the role see the row.
    const both = await file('csv?table=note&order_by=id&columns=id&columns=amount', as('look', 'both'))
    assert.equal(both.text, 'id,amount\r\n1,-12.50\r\n3,\r\n')
    const seen = await file('ndjson?table=note&order_by=id', as('look', 'both'))
    assert.equal(seen.text, '{"id":1,"body":"plain","amount":-12.50}\n{"id":3,"body":"=1+1","amount":null}\n')
  })

  await t.test('other requests are refused before anything is sent', async () => {
    const clerk = as('sesame', 'clerk')
    const refusals = [
      ['csv', admin, 'parse-failed', '$', 'key "table" not found'],
      ['csv?table=none', admin, 'not-exists', '$.table', 'table "none" does not exist'],
      ['csv?table=note&odd=1', admin, 'parse-failed', '$.odd', 'unexpected key "odd"'],
      ['csv?table=note&table=noted', admin, 'parse-failed', '$.table', 'the parameter comes more than once'],
      ['csv?table=note&where={', admin, 'parse-failed', '$.where', 'expected a boolean expression as JSON'],
      [
        'csv?table=note&limit=-1',
        admin,
        'parse-failed',
        '$.limit',
        'parsing Int failed, expected Number, but encountered String',
      ],
      ['csv?table=note&order_by=none', admin, 'not-exists', '$.order_by[0]', '"none" does not exist'],
      [
        'csv?table=note&columns=owner',
        clerk,
        'permission-denied',
        '$.columns[0]',
        'role "clerk" does not have permission to select column "owner"',
      ],
      ['csv?table=large', clerk, 'permission-denied', '$', 'select on "large" for role "clerk" is not allowed. '],
      [
        'csv?table=traced_note',
        admin,
        'not-supported',
        '$',
        'a function that the rows need writes, and exports only read',
      ],
      [
        'csv?table=traced_note',
        as('look'),
        'access-denied',
        '$',
        'the session may only read, so no function that it calls can write',
      ],
    ] as const
    for (const [name, how, code, path, error] of refusals) {
      const { status, text } = await file(name, how)
      const { internal: _, hint: __, ...shown } = JSON.parse(text)
      assert.deepEqual([status, shown], [400, { path, error, code }], name)
    }
    assert.deepEqual(await trellis.sql('select from noted'), [])
    const { status } = await file('csv?table=note', as('wrong'))
    assert.equal(status, 401)
  })

  await t.test('a client that reads slowly holds the rows back, and its end ends the export', async () => {
    const running = async () => {
      const rows = await trellis.sql<{ count: number }>(
        `select count(*)::int from pg_stat_activity where datname = current_database()
           and state = 'idle in transaction' and query like 'fetch % from "exported"'`,
      )
      return rows[0]!.count
    }
    const url = `${trellis.url}/v1alpha1/rows.csv?table=large`
    const clients = ['a', 'b'].map(() => get(url, { headers: admin.headers }))
    // A response without a listener is read to its end at once.
    const responses = await Promise.all(clients.map((client) => once(client, 'response')))
    for (const stream of [...clients, ...(responses.flat() as IncomingMessage[])]) stream.on('error', () => {})
    // Both wait with an open cursor, and no further export may begin.
    await eventually(async () => (await running()) === 2)
    const third = await file('csv?table=note')
    const { error, code } = JSON.parse(third.text)
    assert.deepEqual([third.status, code, error], [503, 'too-many-exports', 'the server runs 2 exports already'])
    for (const client of clients) client.destroy()
    await eventually(async () => (await running()) === 0)
    const whole = await eventually(async () => {
      const answer = await file('ndjson?table=large&order_by=id&columns=id')
      return answer.status === 200 && answer
    })
    assert.deepEqual([whole.text.split('\n').length, whole.text.endsWith('{"id":60000}\n')], [60_001, true])
  })
})
