import assert from 'node:assert/strict'
import test from 'node:test'
import { refusalOf, startBlog } from './mutations.ts'

test('a role cannot query rows that it may change but not select, even through relationships', async (t) => {
  const trellis = await startBlog(t)
  await trellis.sql(`insert into author (name) values ('Ann'), ('Ben')`)
  await trellis.sql(`insert into article (title, author_id) values ('One', 1), ('Two', 2)`)
  const role = 'janitor'
  await trellis.op('create_select_permission', { table: 'author', role, permission: { columns: '*', filter: {} } })
  await trellis.op('create_delete_permission', { table: 'article', role, permission: { filter: {} } })
  const remove = (where: string) =>
    trellis.graphql(`mutation { delete_article(where: ${where}) { affected_rows } }`, {}, { role })
  const path = '$.selectionSet.delete_article.args.where'
  assert.deepEqual(refusalOf(await remove('{author: {name: {_eq: "Ann"}}}')), {
    message: `field "author" not found in type: 'article_bool_exp'`,
    path: `${path}.author`,
    code: 'validation-failed',
  })
  assert.deepEqual(refusalOf(await remove('{_not: {title: {_eq: "One"}}}')), {
    message: `field "title" not found in type: 'article_bool_exp'`,
    path: `${path}._not.title`,
    code: 'validation-failed',
  })
  assert.deepEqual(await remove('{_or: []}'), { data: { delete_article: { affected_rows: 0 } } })
  assert.deepEqual(await remove('{_and: [{}]}'), { data: { delete_article: { affected_rows: 2 } } })
})
