import assert from 'node:assert/strict'
import { test } from 'node:test'
import { settingsStatement } from '../../core/database/sql/transaction-settings.ts'

type Module = typeof import('../../core/database/sql/transaction-settings.ts')

test('the name of a statement depends on its text alone: processes behind a pooler may share connections', async () => {
  const url = new URL('../../core/database/sql/transaction-settings.ts', import.meta.url)
  const other: Module = await import(`${url}?other`)
  const [one, two] = [{ 'app.user': 'a' }, { 'app.tag': 'b', 'app.user': 'c' }]
  const here = [one, two].map((settings) => settingsStatement(settings, true))
  const there = [two, one].map((settings) => other.settingsStatement(settings, true)).reverse()
  assert.deepEqual(here, there)
  assert.notEqual(here[0]!.name, here[1]!.name)
})

test('values are parameters, names are quoted, and without settings there is no statement', () => {
  const made = settingsStatement({ "it's": '1', 'app.b': "'2'" }, false)
  const text = `select where (pg_catalog.set_config('it''s', $1, true) || pg_catalog.set_config('app.b', $2, true)) is null`
  assert.deepEqual(made, { name: null, text, values: ['1', "'2'"] })
  assert.equal(settingsStatement({}, true), null)
})
