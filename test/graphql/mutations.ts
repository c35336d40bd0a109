// Shared by the tests of mutations.

import type { TestContext } from 'node:test'
import { startTrellis, type TestTrellis } from '../support/trellis.ts'

interface Refusal {
  readonly errors: readonly [{ readonly message: string; readonly extensions: { path: string; code: string } }]
}

/** The message, path and code of a refused request. */
export function refusalOf(body: unknown) {
  const [{ message, extensions }] = (body as Refusal).errors
  return { message, path: extensions.path, code: extensions.code }
}

const blog = `
  create table author (id serial primary key, name text not null unique, owner int);
  create table article (id serial primary key, title text not null unique, author_id int references author(id),
                        reviewer_id int references author(id), published boolean not null default false);
  create table tag (article_id int references article(id), label text, primary key (article_id, label))`

/** An engine over authors, articles and tags, related in both directions. */
export async function startBlog(t: TestContext): Promise<TestTrellis> {
  const trellis = await startTrellis(t, { sql: blog })
  for (const table of ['author', 'article', 'tag']) await trellis.op('track_table', table)
  const object = (table: string, name: string, column: string) =>
    trellis.op('create_object_relationship', { table, name, using: { foreign_key_constraint_on: column } })
  const array = (table: string, name: string, from: string, column: string) =>
    trellis.op('create_array_relationship', {
      table,
      name,
      using: { foreign_key_constraint_on: { table: from, column } },
    })
  await object('article', 'author', 'author_id')
  await object('article', 'reviewer', 'reviewer_id')
  await array('author', 'articles', 'article', 'author_id')
  await object('tag', 'article', 'article_id')
  await array('article', 'tags', 'tag', 'article_id')
  return trellis
}
